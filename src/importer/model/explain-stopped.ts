/** A rule that stops a load, in the form sent to clients. */
interface Stopped {
  rule: string
  limit?: unknown
  measured?: unknown
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Describes what stopped a load. */
export function explainStopped(stopped: readonly Stopped[]): string {
  return `stopIf stopped the load: ${stopped.map(stoppedText).join('; ')}. Nothing was changed`
}

/** Describes a stopped load: the rule, its limit and the measured value. */
export function stoppedText({ rule, limit, measured }: Stopped): string {
  if (rule !== 'empty' && rule !== 'values')
    return `${rule} (limit ${limitText(limit)}, found ${foundText(measured)})`
  const columns = Object.entries(fieldsOf(measured)).map(
    ([column, found]) =>
      `"${column}": limit ${limitText(ownField(limit, column))}, found ${foundText(found)}`,
  )
  return `${rule} (${columns.join('; ')})`
}

function ownField(value: unknown, name: string): unknown {
  const fields = fieldsOf(value)
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function limitText(limit: unknown): string {
  if (limit === 'lost') return 'no missing column'
  if (limit === 'any') return 'the same columns'
  if (Array.isArray(limit)) return `within ${limit.join(', ')}`
  if (!isFields(limit)) return String(limit)
  const parts = [amountText(limit), rangeText(limit)].filter((part) => part !== '')
  return parts.length === 0 ? 'none' : parts.join(', ')
}

/** Formats a number of rows, their share, or both. */
function amountText({ rows, percent }: Fields): string {
  const counted = rows === undefined ? [] : [`${String(rows)} ${rows === 1 ? 'row' : 'rows'}`]
  return [...counted, ...(percent === undefined ? [] : [`${String(percent)} %`])].join(' or ')
}

/** Describes the allowed values of a column. */
function rangeText({ in: allowed, min, max }: Fields): string {
  const one = Array.isArray(allowed) ? [`one of ${listText(allowed.map(valueText))}`] : []
  const from = min === undefined ? [] : [`from ${valueText(min)}`]
  const to = max === undefined ? [] : [`to ${valueText(max)}`]
  return [...one, ...from, ...to].join(' ')
}

const maxShown = 10

function listText(values: readonly string[]): string {
  const more = values.length - maxShown
  return values.slice(0, maxShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const valueText = (value: unknown): string => (typeof value === 'string' ? `"${value}"` : String(value))

function foundText(found: unknown): string {
  if (Array.isArray(found)) return listText(found.map(columnText))
  if (!isFields(found)) return String(found)
  const { rows, percent, value } = found
  const counted = `${String(rows)} ${rows === 1 ? 'row' : 'rows'}`
  if (value !== undefined) return `${counted}, such as ${valueText(value)}`
  return percent === undefined ? counted : `${counted}, ${String(percent)} %`
}

const becomes = new Map([
  ['gained', 'is new'],
  ['lost', 'is missing'],
  ['type', 'has another type'],
])

function columnText(column: unknown): string {
  const { name, change } = fieldsOf(column)
  return `"${String(name)}" ${becomes.get(String(change)) ?? String(change)}`
}
