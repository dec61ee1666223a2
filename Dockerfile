# An image with the program and nothing else:
#   docker build -t composefix .
#   docker run --rm -v "$PWD:/work:ro" composefix check
# `apply` writes, so it runs as the owner; at its own path, so that the project has its own name:
#   docker run --rm -v "$PWD:$PWD" -w "$PWD" --user "$(id -u):$(id -g)" composefix apply --yes

FROM rust:1-slim-bookworm AS composefix-build
WORKDIR /build
COPY . .
# Static, since the last stage has no libraries. With --target the flag is not for build scripts.
ENV RUSTFLAGS="-C target-feature=+crt-static"
RUN target="$(rustc -vV | sed -n 's/^host: //p')" \
 && cargo build --release --locked --bin composefix --target "$target" \
 && cp "target/$target/release/composefix" /composefix

# The tests build this stage alone, from an image `composefix-build` with a program made outside.
FROM scratch
COPY --from=composefix-build /composefix /composefix
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["/composefix"]
CMD ["check"]
