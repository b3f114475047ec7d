import type { Reader } from './parse.ts'
import { parseWebUrl } from './parse.ts'

export interface SamplerSettings {
  kind: 'on' | 'off' | 'ratio'
  /** Share of recorded traces, for the sampler `ratio`. */
  ratio: number
  /** True if the sampling decision of the caller takes precedence. */
  isParentBased: boolean
}

/** Export of traces and metrics by OTLP over HTTP, by the standard variables of OpenTelemetry. */
export interface TelemetrySettings {
  /** Absent: no traces. */
  tracesUrl?: string
  /** Absent: no metrics. */
  metricsUrl?: string
  /** Headers of each export, such as an API key. Never logged. */
  headers: Record<string, string>
  serviceName: string
  /** Further attributes of this process. */
  resource: Record<string, string>
  sampler: SamplerSettings
  metricIntervalMs: number
}

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const
const exporters = ['otlp', 'none'] as const
const protocols = ['http/json', 'http/protobuf'] as const

/** Reads the variables; undefined if no endpoint is set. */
export function readTelemetry(read: Reader): TelemetrySettings | undefined {
  const isOff = read.flag('OTEL_SDK_DISABLED', false)
  const base = readEndpoint(read, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const settings: TelemetrySettings = {
    tracesUrl: readSignal(read, 'traces', base),
    metricsUrl: readSignal(read, 'metrics', base),
    headers: readPairs(
      read,
      'OTEL_EXPORTER_OTLP_HEADERS',
      read.secret('OTEL_EXPORTER_OTLP_HEADERS')?.reveal(),
    ),
    serviceName: read.text('OTEL_SERVICE_NAME', { default: 'terrane' }) ?? 'terrane',
    resource: readPairs(
      read,
      'OTEL_RESOURCE_ATTRIBUTES',
      read.text('OTEL_RESOURCE_ATTRIBUTES', { type: 'list' }),
    ),
    sampler: readSampler(read),
    metricIntervalMs: read.integer('OTEL_METRIC_EXPORT_INTERVAL', {
      unit: 'milliseconds',
      fallback: 60_000,
      min: 100,
      max: 3_600_000,
    }),
  }
  // Exports are JSON, which every collector accepts on the port of OTLP over HTTP.
  read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', protocols, 'http/json')
  const isUsed = settings.tracesUrl !== undefined || settings.metricsUrl !== undefined
  return isUsed && !isOff ? settings : undefined
}

function readEndpoint(read: Reader, name: string): string | undefined {
  const value = read.text(name, { type: 'URL' })
  if (value === undefined) return undefined
  const url = parseWebUrl(value)
  if (url !== undefined) return url.href
  read.problem(name, `must be an http or https address without a password, found "${value}"`)
  return undefined
}

/**
 * Returns the endpoint of a signal: its own unchanged, otherwise the common one with the path of the signal.
 */
function readSignal(
  read: Reader,
  signal: 'traces' | 'metrics',
  base: string | undefined,
): string | undefined {
  const upper = signal.toUpperCase()
  const own = readEndpoint(read, `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`)
  if (read.choice(`OTEL_${upper}_EXPORTER`, exporters, 'otlp') === 'none') return undefined
  return own ?? (base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/${signal}`)
}

function readSampler(read: Reader): SamplerSettings {
  const name = read.choice('OTEL_TRACES_SAMPLER', samplers, 'parentbased_always_on')
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', { default: '1' }) ?? '1'
  const ratio = Number(text)
  if (!(ratio >= 0 && ratio <= 1))
    read.problem('OTEL_TRACES_SAMPLER_ARG', `must be a number from 0 to 1, found "${text}"`)
  const kind = name.endsWith('ratio') ? 'ratio' : name.endsWith('on') ? 'on' : 'off'
  return { kind, ratio, isParentBased: name.startsWith('parentbased') }
}

/** Parses `name=value,name=value`; values are percent-encoded. */
function readPairs(read: Reader, name: string, text: string | undefined): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const one of (text ?? '').split(',').filter((part) => part.trim() !== '')) {
    const [key = '', ...rest] = one.split('=')
    const value = decode(rest.join('=').trim())
    if (rest.length > 0 && key.trim() !== '' && value !== undefined) pairs[key.trim()] = value
    else read.problem(name, 'must be a list such as name=value,other=value with percent-encoded values')
  }
  return pairs
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
