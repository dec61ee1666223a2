//! What is in the tree of a dependency manager.

use super::*;

const NODE: &str = "node-modules";
const PHP: &str = "composer-vendor";

#[test]
fn symfony() {
    let image = image_of(
        "FROM php:8.3-fpm-alpine AS base\nRUN apk add --no-cache git && docker-php-ext-install intl\n\
         COPY --from=composer:2 /usr/bin/composer /usr/bin/composer\nWORKDIR /srv/app\n\
         FROM base AS vendor\nCOPY composer.json composer.lock symfony.lock ./\n\
         RUN composer install --prefer-dist --no-scripts --no-progress\n\
         FROM base\nCOPY . .\nCOPY --from=vendor /srv/app/vendor vendor/\nUSER www-data\n",
    );
    let by = "filled COPY --from=vendor /srv/app/vendor vendor/";
    assert_eq!(content(&image, "/srv/app/vendor", PHP), by);
    assert_eq!(content(&image, "/srv/app/node_modules", NODE), "unknown");
    let image = image.image().unwrap();
    assert_eq!((image.base(), image.workdir()), (Some("php:8.3-fpm-alpine"), Some("/srv/app")));
}

#[test]
fn laravel_with_two_steps_and_no_development_packages() {
    let file = "FROM php:8.3-cli\nWORKDIR /var/www/html\nCOPY composer.* ./\n\
                RUN composer install --no-autoloader --no-scripts\nCOPY . .\n";
    let by = "partial RUN composer install --no-autoloader --no-scripts";
    assert_eq!(content(&image_of(file), "/var/www/html/vendor", PHP), by);
    let file = format!("{file}RUN composer install\n");
    assert_eq!(
        content(&image_of(&file), "/var/www/html/vendor", PHP),
        "filled RUN composer install"
    );
    let dumped = file.replace("RUN composer install\n", "RUN composer dump-autoload\n");
    let by = "filled RUN composer dump-autoload";
    assert_eq!(content(&image_of(&dumped), "/var/www/html/vendor", PHP), by);
    let lean = dumped.replace("--no-scripts", "--no-dev");
    let by = "partial RUN composer install --no-autoloader --no-dev";
    assert_eq!(content(&image_of(&lean), "/var/www/html/vendor", PHP), by);
    let lean = "FROM php\nWORKDIR /a\nCOPY . .\nENV COMPOSER_NO_DEV=1\nRUN composer i\n";
    assert_eq!(content(&image_of(lean), "/a/vendor", PHP), "partial RUN composer i");
}

#[test]
fn node_in_many_spellings() {
    for (run, expected) in [
        ("RUN npm ci", "filled RUN npm ci"),
        ("RUN --mount=type=cache,target=/home/app/.npm npm ci", "filled RUN npm ci"),
        ("RUN [\"npm\", \"install\"]", "filled RUN npm install"),
        ("RUN npm --loglevel error ci", "filled RUN npm --loglevel error ci"),
        ("RUN cd / && npm ci --prefix /app", "filled RUN npm ci --prefix /app"),
        ("RUN yarn", "filled RUN yarn"),
        (
            "RUN corepack enable && pnpm install --frozen-lockfile",
            "filled RUN pnpm install --frozen-lockfile",
        ),
        ("RUN <<EOF\nset -e\nnpm ci\nEOF", "filled RUN npm ci"),
        ("RUN npm ci && npm cache clean --force", "filled RUN npm ci"),
        ("RUN npm ci || exit 1", "filled RUN npm ci"),
        ("RUN npm ci || npm install", "filled RUN npm install"),
        ("RUN npm ci --omit=dev", "partial RUN npm ci --omit=dev"),
        ("RUN npm config set omit dev && npm ci", "partial RUN npm ci"),
        ("RUN yarn install --production=true", "partial RUN yarn install --production=true"),
        ("ENV NODE_ENV=production\nRUN npm ci", "partial RUN npm ci"),
        ("ENV NODE_ENV=production\nRUN NODE_ENV=development npm ci", "filled RUN npm ci"),
        ("RUN npm install -g pnpm", "absent"),
        ("RUN npm run build", "unknown"),
        ("RUN cd /other && npm ci", "absent"),
        ("RUN --mount=type=cache,target=/app/node_modules npm ci", "absent"),
        ("RUN --mount=type=bind,target=. npm ci", "absent"),
        ("RUN if [ -n \"$X\" ]; then npm ci; fi", "unknown"),
        ("RUN npm ci || true", "unknown"),
        ("RUN echo npm ci", "absent"),
        ("# RUN npm ci", "absent"),
        ("ONBUILD RUN npm ci", "absent"),
        ("RUN cat <<EOF > /x\nnpm ci\nEOF", "absent"),
        ("RUN npm ci && rm -rf node_modules", "absent"),
        ("RUN npm ci\nRUN rm -rf /app/*", "absent"),
        ("RUN npm ci && rm -rf node_modules/.cache /tmp/*", "filled RUN npm ci"),
        ("RUN npm ci\nRUN mv node_modules /opt/", "absent"),
        ("RUN npm ci && find . -name node_modules -exec rm -r {} +", "unknown"),
        ("RUN npm ci && git clean -fdx", "unknown"),
        ("VOLUME /app/node_modules\nRUN npm ci", "unknown"),
        ("RUN mkdir node_modules", "absent"),
    ] {
        let file = format!("FROM node:22-slim\nWORKDIR /app\nCOPY package*.json ./\n{run}\n");
        assert_eq!(content(&image_of(&file), "/app/node_modules", NODE), expected, "{run}");
    }
}

#[test]
fn an_install_without_a_manifest_or_in_an_unknown_image_is_no_proof() {
    let bare = image_of("FROM node:22\nWORKDIR /app\nRUN npm install\n");
    assert_eq!(content(&bare, "/app/node_modules", NODE), "unknown");
    let foreign = image_of("FROM corp/base\nWORKDIR /app\nCOPY src src\n");
    assert_eq!(content(&foreign, "/app/node_modules", NODE), "unknown");
    let copy = image_of("FROM bitnami/node\nWORKDIR /app\n");
    assert_eq!(content(&copy, "/app/node_modules", NODE), "unknown");
    let foreign = image_of("FROM corp/base\nWORKDIR /app\nCOPY package.json .\nRUN npm ci\n");
    assert_eq!(content(&foreign, "/app/node_modules", NODE), "filled RUN npm ci");
}

#[test]
fn the_context_brings_a_tree_only_by_its_name() {
    let all = "FROM node:22\nWORKDIR /app\nCOPY . .\n";
    assert_eq!(content(&image_of(all), "/app/node_modules", NODE), "unknown");
    let ignored = with_ignore(all, "**/node_modules\n");
    assert_eq!(content(&ignored, "/app/node_modules", NODE), "absent");
    let named = "FROM php\nCOPY vendor /app/vendor\n";
    assert_eq!(content(&image_of(named), "/app/vendor", PHP), "filled COPY vendor /app/vendor");
    let beside = image_of("FROM node:22\nCOPY package.json /app/\nCOPY src /app/src\n");
    assert_eq!(content(&beside, "/app/node_modules", NODE), "absent");
    let after = "FROM node:22\nWORKDIR /app\nCOPY package.json .\nRUN npm ci\nCOPY . .\n";
    assert_eq!(content(&image_of(after), "/app/node_modules", NODE), "filled RUN npm ci");
    let inside = image_of("FROM node:22\nCOPY x.txt /app/node_modules/\n");
    assert_eq!(
        content(&inside, "/app/node_modules", NODE),
        "created COPY x.txt /app/node_modules/"
    );
}

#[test]
fn trees_are_followed_when_they_move() {
    let old = "FROM node:22\nADD package.json /tmp/package.json\nRUN cd /tmp && npm install\n\
               RUN mkdir -p /opt/app && cp -a /tmp/node_modules /opt/app/\n";
    assert_eq!(
        content(&image_of(old), "/opt/app/node_modules", NODE),
        "filled RUN cp -a /tmp/node_modules /opt/app/"
    );
    let up = "FROM node:22\nWORKDIR /app\nCOPY package.json .\nRUN npm ci && mv node_modules /\n";
    assert_eq!(content(&image_of(up), "/app/node_modules", NODE), "absent");
    assert_eq!(content(&image_of(up), "/node_modules", NODE), "filled RUN mv node_modules /");
    let link = "FROM node:22\nWORKDIR /app\nRUN ln -s /node_modules node_modules\n";
    assert_eq!(content(&image_of(link), "/app/node_modules", NODE), "unknown");
}

#[test]
fn stages_arguments_and_targets() {
    let file = "ARG V=22\nFROM node:${V} AS base\nARG DIR=/app\nWORKDIR $DIR\nCOPY package.json .\n\
                FROM base AS dev\nRUN npm install\nCMD npm run dev\nFROM base AS prod\nRUN npm ci --omit=dev\n";
    let compose =
        "services: {web: {build: {context: ., target: DEV, args: {V: '20', DIR: /code}}}}";
    let dev = built(compose, &[("Dockerfile", file)]);
    assert_eq!(content(&dev, "/code/node_modules", NODE), "filled RUN npm install");
    let image = dev.image().unwrap();
    assert_eq!(image.base(), Some("node:20"));
    assert_eq!(image.command_words(), ["npm", "run", "dev"]);
    assert_eq!(
        content(&image_of(file), "/app/node_modules", NODE),
        "partial RUN npm ci --omit=dev"
    );
    let open = "services: {web: {build: {context: ., target: dev, args: [DIR]}}}";
    let open = built(open, &[("Dockerfile", file)]);
    assert_eq!(content(&open, "/app/node_modules", NODE), "unknown");
    assert_eq!(open.image().unwrap().workdir(), None);
}

#[test]
fn python_ruby_and_go_put_things_where_they_are_told() {
    let uv = "FROM python:3.13\nCOPY --from=ghcr.io/astral-sh/uv:latest /uv /bin/\nWORKDIR /app\n\
              RUN --mount=type=cache,target=/home/app/.cache/uv --mount=type=bind,source=uv.lock,target=uv.lock \\\n\
              --mount=type=bind,source=pyproject.toml,target=pyproject.toml \\\n  uv sync --locked --no-install-project\n\
              COPY . /app\nRUN uv sync --locked\n";
    assert_eq!(content(&image_of(uv), "/app/.venv", "python-venv"), "filled RUN uv sync --locked");
    let moved = uv.replace("WORKDIR /app\n", "WORKDIR /app\nENV UV_PROJECT_ENVIRONMENT=/venv\n");
    assert_eq!(content(&with_ignore(&moved, ".venv"), "/app/.venv", "python-venv"), "absent");
    assert_eq!(content(&image_of(&moved), "/venv", "python-venv"), "filled RUN uv sync --locked");
    let poetry = "FROM python:3.13\nWORKDIR /app\nCOPY pyproject.toml .\nRUN pip install poetry && poetry install\n";
    assert_eq!(content(&image_of(poetry), "/app/.venv", "python-venv"), "unknown");
    let rails = "FROM ruby:3.4\nWORKDIR /rails\nCOPY Gemfile Gemfile.lock ./\nRUN bundle install\n";
    assert_eq!(content(&image_of(rails), "/rails/vendor/bundle", "ruby-bundle"), "unknown");
    let inside = rails.replace("COPY", "ENV BUNDLE_PATH=vendor/bundle\nCOPY");
    assert_eq!(
        content(&image_of(&inside), "/rails/vendor/bundle", "ruby-bundle"),
        "filled RUN bundle install"
    );
    let go = "FROM golang:1.25 AS build\nWORKDIR /src\nCOPY go.mod go.sum ./\nRUN go mod download\nCOPY . .\n\
              RUN go build -o /bin/app\nFROM scratch\nCOPY --from=build /bin/app /app\nENTRYPOINT [\"/app\"]\n";
    let go = image_of(go);
    assert_eq!(content(&go, "/src/vendor", "go-vendor"), "absent");
    assert_eq!(go.image().unwrap().user(), User::Root);
}

#[test]
fn the_code_is_in_the_image() {
    let holds = |built: &Built, target: &str, source: &str| {
        words(built.image().unwrap().holds_source(target, Path::new(source)))
    };
    let all = "FROM node:22 AS b\nWORKDIR /app\nCOPY package.json .\nCOPY . .\nFROM node:22\nCOPY --from=b /app /srv\n";
    let all = with_ignore(all, "node_modules\n.git\n");
    assert_eq!(holds(&all, "/srv", "/p"), "filled COPY --from=b /app /srv");
    assert_eq!(holds(&all, "/srv/src", "/p/src"), "filled COPY --from=b /app /srv");
    assert_eq!(holds(&all, "/app", "/p"), "unknown");
    assert!(holds(&all, "/srv", "/p/src").starts_with("created"));
    let some = image_of("FROM node:22\nCOPY src /app/src\n");
    assert_eq!(holds(&some, "/app", "/p"), "created COPY src /app/src");
    assert_eq!(holds(&some, "/app/src", "/p/src"), "filled COPY src /app/src");
    let few = with_ignore("FROM node:22\nCOPY . /app\n", "*\n!package.json\n");
    assert!(holds(&few, "/app", "/p").starts_with("created"));
    let gone = image_of("FROM node:22\nCOPY . /app\nRUN rm -rf /app\n");
    assert_eq!(holds(&gone, "/app", "/p"), "unknown");
}
