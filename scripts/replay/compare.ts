import type { Answer, Step } from './request.ts'

/** Patterns of text that differs between two starts of the same server. */
const volatile: [RegExp, string][] = [
  [/try again in \d+ s/g, 'try again in (some) s'],
  [/(?<=\/stores\/[^"]*_)[0-9a-f]{12}/g, '(id)'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, '(time)'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?/g, '(time)'],
  [/(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, '(time)'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(uuid)'],
]
/** Follow from bodies, which are compared themselves, or from times. */
const followers = ['date', 'content-length', 'set-cookie', 'retry-after']

function plain(text: string): string {
  return volatile.reduce((kept, [pattern, word]) => kept.replaceAll(pattern, word), text)
}

/**
 * Splits a response into comparable lines: status, headers in order, JSON value by value, other bodies line
 * by line.
 */
function linesOf({ status, headers, body }: Answer): Map<string, string> {
  const lines = new Map([['status', String(status)]])
  for (const [name, value] of Object.entries(headers)) {
    const shown = name === 'etag' ? value.replace(/"[^"]*"/, '"(etag)"') : plain(String(value))
    lines.set(`header ${name}`, followers.includes(name) ? 'there' : shown)
  }
  lines.set('headers', Object.keys(headers).join(' '))
  if (/json/.test(headers['content-type'] ?? '')) {
    try {
      addValue(lines, 'body', JSON.parse(body))
      // The order of keys and the spaces too.
      lines.set('text', plain(body).replaceAll(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi, '0'))
      return lines
    } catch {
      // Not JSON: compared as text.
    }
  }
  for (const [index, line] of plain(body).split('\n').entries()) lines.set(`line ${index}`, line)
  return lines
}

function addValue(lines: Map<string, string>, path: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) lines.set(path, plain(JSON.stringify(value)))
  else if (Object.keys(value).length === 0) lines.set(path, JSON.stringify(value))
  else for (const [key, one] of Object.entries(value)) addValue(lines, `${path}.${plain(key)}`, one)
}

/** Measurements, and what was recorded of these very requests. */
function isLive({ path, isLive = false }: Step): boolean {
  if (/valid_to=20(?!26)/.test(path)) return false
  return (
    isLive ||
    /^\/(?:metrics|health|monitoring\/api\/(?:metric_data|labels|resources|exceptions|status))(?=[/?]|$)/.test(
      path,
    )
  )
}

export interface Difference {
  place: string
  before: string
  after: string
}

/**
 * Returns the differences between two responses, without those that also occur between two servers of the
 * same tree.
 */
export function differences(step: Step, before: Answer, again: Answer, after: Answer): Difference[] {
  const [first, second, third] = [before, again, after].map(linesOf)
  if (first === undefined || second === undefined || third === undefined) return []
  const found: Difference[] = []
  for (const place of new Set([...first.keys(), ...third.keys()])) {
    const [old, noise, now] = [first, second, third].map((lines) => lines.get(place) ?? '(absent)')
    if (old === now || old !== noise) continue
    if (isLive(step) && place !== 'status' && place !== 'header content-type') continue
    found.push({ place, before: old ?? '', after: now ?? '' })
  }
  return found
}
