import { UsageError } from './options.ts'

const limitPattern = /^(\d+(?:\.\d+)?)(%?)$/

/**
 * Parses the values of `--stop-if`: each is a JSON object in the form of the API, or has the short form
 * `removed=10%`, `changed=1000`, `fewer=100`, `columns=lost` or `crs`.
 */
export function readStopIf(texts: string[]): Record<string, unknown> | undefined {
  if (texts.length === 0) return undefined
  return Object.assign(
    {},
    ...texts.map((text) => (text.trimStart().startsWith('{') ? readJson(text) : readShort(text))),
  )
}

function readJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`--stop-if is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function readShort(text: string): Record<string, unknown> {
  const [rule = '', value = ''] = text.split('=', 2)
  if (rule === 'crs' && value === '') return { crs: true }
  if (rule === 'columns' && value !== '') return { columns: value }
  const [, amount, percent] = limitPattern.exec(value) ?? []
  if (amount !== undefined && (rule === 'removed' || rule === 'changed')) {
    return { [rule]: percent === '%' ? { percent: Number(amount) } : { rows: Number(amount) } }
  }
  if (amount !== undefined && rule === 'fewer' && percent === '') return { fewer: Number(amount) }
  throw new UsageError(
    `--stop-if takes removed=10%, changed=1000, fewer=100, columns=lost, crs, or JSON: found "${text}"`,
  )
}
