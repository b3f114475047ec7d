const widest = 110

/**
 * Returns the status line, `Location`, `Allow` and body of a `curl -i` response; the output of other programs
 * unchanged.
 */
export function formatAnswer(output: string): string {
  const text = output.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
  if (!text.startsWith('HTTP/')) return text.trimEnd()
  const end = text.indexOf('\r\n\r\n')
  const [status = '', ...headers] = text.slice(0, end).split('\r\n')
  const body = text.slice(end + 4)
  const reported = headers
    .filter((line) => /^(?:location|allow):/i.test(line))
    .map((line) => line.charAt(0).toUpperCase() + line.slice(1))
  const isJson = headers.some((line) => /^content-type:.*json/i.test(line))
  const shown = body === '' ? [] : ['', isJson ? setInLines(JSON.parse(body)) : body]
  return [status, ...reported, ...shown].join('\n')
}

/** Formats JSON with every list and object that fits on one line, and breaks the others. */
function setInLines(value: unknown, indent = '', taken = 0): string {
  const flat = onOneLine(value)
  const isPlain = typeof value !== 'object' || value === null
  if (isPlain || indent.length + taken + flat.length <= widest) return flat
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const parts = value.map((one) => inner + setInLines(one, inner))
    return `[\n${parts.join(',\n')}\n${indent}]`
  }
  const parts = Object.entries(value).map(([key, one]) => {
    const name = `${JSON.stringify(key)}: `
    return inner + name + setInLines(one, inner, name.length + 1)
  })
  return `{\n${parts.join(',\n')}\n${indent}}`
}

function onOneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[${value.map(onOneLine).join(', ')}]`
  const parts = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${onOneLine(one)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
