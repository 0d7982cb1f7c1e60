What the templates share.

{{- define "writecheck.selector" -}}
app.kubernetes.io/name: writecheck
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "writecheck.labels" -}}
{{ include "writecheck.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

Jobs; they have names of their own, so that they are not behind the address of the service.
{{- define "writecheck.jobLabels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: writecheck
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "writecheck.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
imagePullSecrets: {{ toJson .Values.imagePullSecrets }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
nodeSelector: {{ toJson .Values.nodeSelector }}
tolerations: {{ toJson .Values.tolerations }}
{{- end }}

{{- define "writecheck.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "writecheck.image" -}}
{{- if .Values.image.digest -}}
image: {{ printf "%s@%s" .Values.image.repository .Values.image.digest | quote }}
{{- else -}}
image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
{{- end }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "writecheck.cron" -}}
concurrencyPolicy: Forbid
startingDeadlineSeconds: 3600
successfulJobsHistoryLimit: 1
failedJobsHistoryLimit: 3
{{- end }}

The elements of a list, or nothing.
{{- define "writecheck.extra" -}}
{{- if . }}{{ toYaml . }}{{ end }}
{{- end }}
