//! The shapes of reports for which nobody publishes a schema in a package, from their documentation.

use serde_json::{Value, json};

/// What a schema has against a value.
pub(crate) fn against(schema: &Value, value: &Value) -> Result<(), String> {
    let options = jsonschema::options().should_validate_formats(true);
    let validator = options.build(schema).map_err(|error| format!("the schema: {error}"))?;
    let wrong = validator.iter_errors(value).take(5);
    let wrong: Vec<String> = wrong.map(|e| format!("{}: {e}", e.instance_path())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// A Code Quality report as GitLab documents it. Paths are relative and do not begin with `./`.
pub(crate) fn gitlab() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "pattern": "^[a-z-]+$"},
                "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}:[0-9]+$"},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": {"type": "string", "minLength": 1, "not": {"pattern": "^(/|\\./)"}},
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": {
                                "begin": {"type": "integer", "minimum": 1},
                                "end": {"type": "integer", "minimum": 1}
                            },
                            "additionalProperties": false
                        }
                    },
                    "additionalProperties": false
                }
            },
            "additionalProperties": false
        }
    })
}

/// A `DiagnosticResult` as the messages of reviewdog's `rdf` describe it.
pub(crate) fn rdjson() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["source", "diagnostics"],
        "properties": {
            "source": {"$ref": "#/$defs/source"},
            "severity": {"$ref": "#/$defs/severity"},
            "diagnostics": {"type": "array", "items": {
                "type": "object",
                "required": ["message", "location", "severity", "code"],
                "properties": {
                    "message": {"type": "string", "minLength": 1},
                    "location": {
                        "type": "object",
                        "required": ["path"],
                        "properties": {
                            "path": {"type": "string", "minLength": 1},
                            "range": {"$ref": "#/$defs/range"}
                        },
                        "additionalProperties": false
                    },
                    "severity": {"$ref": "#/$defs/severity"},
                    "source": {"$ref": "#/$defs/source"},
                    "code": {
                        "type": "object",
                        "required": ["value"],
                        "properties": {"value": {"type": "string"}, "url": {"type": "string"}},
                        "additionalProperties": false
                    },
                    "suggestions": {"type": "array", "minItems": 1, "items": {
                        "type": "object",
                        "required": ["range", "text"],
                        "properties": {
                            "range": {"$ref": "#/$defs/range"}, "text": {"type": "string"}
                        },
                        "additionalProperties": false
                    }},
                    "original_output": {"type": "string"}
                },
                "additionalProperties": false
            }}
        },
        "additionalProperties": false,
        "$defs": {
            "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
            "source": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "url": {"type": "string"}},
                "additionalProperties": false
            },
            "range": {
                "type": "object",
                "required": ["start"],
                "properties": {
                    "start": {"$ref": "#/$defs/position"}, "end": {"$ref": "#/$defs/position"}
                },
                "additionalProperties": false
            },
            "position": {
                "type": "object",
                "required": ["line"],
                "properties": {
                    "line": {"type": "integer", "minimum": 1},
                    "column": {"type": "integer", "minimum": 1}
                },
                "additionalProperties": false
            }
        }
    })
}
