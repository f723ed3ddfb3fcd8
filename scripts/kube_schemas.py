#!/usr/bin/env python3
"""Schemas for kubeconform without its web site: from the Go modules of Kubernetes and of the Prometheus operator.

    scripts/kube_schemas.py FOLDER

The Go module proxy has both modules; the first has the interface of Kubernetes as one OpenAPI document, the second
the definition of ServiceMonitor. Each kind becomes FOLDER/KIND-GROUP-VERSION.json, as kubeconform looks for it, with
everything that it refers to. Fields that are not defined are refused."""

import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

import yaml

KUBERNETES = "k8s.io/kubernetes@v1.31.4", "api/openapi-spec/swagger.json"
OPERATOR = ("github.com/prometheus-operator/prometheus-operator@v0.79.2",
            "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml")
KINDS = ["Secret", "ConfigMap", "Service", "StatefulSet", "PodDisruptionBudget", "Ingress"]
WHOLE_OR_TEXT = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
NUMBER_OR_TEXT = {"oneOf": [{"type": "string"}, {"type": "number"}]}  # 500m, 2


def file_of(module, path):
    with tempfile.TemporaryDirectory() as folder:
        for words in (["mod", "init", "schemas"], ["mod", "download", "-json", module]):
            done = subprocess.run(["go", *words], cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"kube_schemas.py: go {' '.join(words)}: {done.stderr or done.stdout}")
    with zipfile.ZipFile(json.loads(done.stdout)["Zip"]) as archive:
        return archive.read(f"{module}/{path}")


def strict(schema):
    """The schema, in which objects have no other fields than those that are named."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("format") == "int-or-string" or schema.get("x-kubernetes-int-or-string"):
        return WHOLE_OR_TEXT
    out = {name: strict(part) for name, part in schema.items()}
    if isinstance(out.get("properties"), dict) and "additionalProperties" not in out and "type" in out:
        out["additionalProperties"] = False
    return out


def refers_to(schema):
    if isinstance(schema, list):
        return {name for each in schema for name in refers_to(each)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"].rsplit("/", 1)[1]} if isinstance(schema.get("$ref"), str) else set()
    return own.union(*(refers_to(part) for part in schema.values()))


def with_what_it_needs(name, definitions):
    needed, left = {}, {name}
    while left:
        each = left.pop()
        needed[each] = strict(definitions[each])
        left |= refers_to(needed[each]) - set(needed)
    needed["io.k8s.apimachinery.pkg.api.resource.Quantity"] = NUMBER_OR_TEXT
    return {"definitions": needed, "$ref": f"#/definitions/{name}"}


def file_name(kind, group, version):
    parts = [kind.lower(), group.split(".")[0], version]
    return "-".join(part for part in parts if part) + ".json"


def main(folder):
    os.makedirs(folder, exist_ok=True)
    definitions = json.loads(file_of(*KUBERNETES))["definitions"]
    for name, definition in definitions.items():
        for known in definition.get("x-kubernetes-group-version-kind", []):
            if known["kind"] in KINDS and known["version"] == "v1" and name.endswith("." + known["kind"]):
                with open(os.path.join(folder, file_name(**known)), "w", encoding="utf-8") as file:
                    json.dump(with_what_it_needs(name, definitions), file)
    monitor = yaml.safe_load(io.BytesIO(file_of(*OPERATOR)))["spec"]
    schema = strict(monitor["versions"][0]["schema"]["openAPIV3Schema"])
    schema["properties"]["metadata"] = {"type": "object"}
    with open(os.path.join(folder, "servicemonitor-monitoring-v1.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file)


if __name__ == "__main__":
    main(sys.argv[1])
