{{/* Names. A release that is called rein has objects that are called rein. */}}
{{- define "rein.name" -}}
{{- if contains "rein" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-rein" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "rein.selector" -}}
app.kubernetes.io/name: rein
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "rein.labels" -}}
{{ include "rein.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* "yes" if the journals are in PostgreSQL. */}}
{{- define "rein.shared" -}}
{{- if or .Values.journal.existingSecret .Values.journal.value -}}yes{{- end -}}
{{- end -}}

{{- define "rein.tokenSecret" -}}
{{- .Values.token.existingSecret | default (include "rein.name" .) -}}
{{- end -}}

{{- define "rein.journalSecret" -}}
{{- .Values.journal.existingSecret | default (include "rein.name" .) -}}
{{- end -}}

{{/* Names by which the service is asked. Addresses need no entry. */}}
{{- define "rein.hosts" -}}
{{- $name := include "rein.name" . -}}
{{- $all := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $all = append $all (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $all = concat $all .Values.hosts -}}
{{- if and .Values.ingress.enabled .Values.ingress.host -}}{{- $all = append $all .Values.ingress.host -}}{{- end -}}
{{- join "," $all -}}
{{- end -}}

{{/* What cannot work is said here, and not by a pod that does not start. */}}
{{- define "rein.check" -}}
{{- if not (or .Values.token.existingSecret .Values.token.value) -}}
{{- fail "token: found none; accepted: token.existingSecret or token.value. The service listens for other pods, and so needs a token." -}}
{{- end -}}
{{- if and .Values.token.value (lt (len .Values.token.value) 16) -}}
{{- fail "token.value: found fewer than 16 bytes; accepted: 16 or more, as openssl rand -hex 24 prints" -}}
{{- end -}}
{{- if and (gt (int .Values.replicas) 1) (not (include "rein.shared" .)) -}}
{{- fail "replicas: found more than 1 without journal; accepted: 1, or journal.existingSecret or journal.value. A folder has one service." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.host: found none; accepted: the name by which callers ask" -}}
{{- end -}}
{{- end -}}
