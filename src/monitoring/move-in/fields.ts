import type { DumpRecord } from './read-dump.ts'

/** A record that cannot be used; the message is the reason that is reported. */
export class SkippedRecord extends Error {}

/** A text of at most `maxLength` characters; longer ones are cut. */
export function textField({ fields }: DumpRecord, name: string, maxLength = 2000): string {
  const value = fields[name]
  if (value == null) return ''
  if (typeof value !== 'string' && typeof value !== 'number') throw new SkippedRecord(`${name} is no text`)
  return String(value).replaceAll('\0', '').slice(0, maxLength)
}

export function requiredText(record: DumpRecord, name: string, maxLength?: number): string {
  const text = textField(record, name, maxLength)
  if (text === '') throw new SkippedRecord(`${name} is empty`)
  return text
}

/** The key of another object; empty for none. */
export function keyField({ fields }: DumpRecord, name: string): string {
  const value = fields[name]
  if (value == null) return ''
  if (typeof value !== 'string' && typeof value !== 'number') throw new SkippedRecord(`${name} is no key`)
  return String(value)
}

/** Numbers come as numbers and as decimal text. */
export function numberField({ fields }: DumpRecord, name: string): number | undefined {
  const value = fields[name]
  if (value == null || value === '') return undefined
  const number = typeof value === 'number' ? value : Number(value)
  if (!Number.isFinite(number)) throw new SkippedRecord(`${name} is no number`)
  return number
}

export function flagField({ fields }: DumpRecord, name: string, fallback: boolean): boolean {
  const value = fields[name]
  return typeof value === 'boolean' ? value : fallback
}

const earliest = Date.parse('1990-01-01')
const latest = Date.parse('2200-01-01')

/** Milliseconds since 1970; without a zone it is UTC. */
export function timeField(record: DumpRecord, name: string): number {
  const text = requiredText(record, name, 40).replace(' ', 'T')
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`)
  if (!(time >= earliest && time <= latest)) throw new SkippedRecord(`${name} is no time`)
  return time
}

/** Seconds, of texts such as `00:01:00`, `1 00:00:00` or `P0DT00H01M00S`. */
export function durationField(record: DumpRecord, name: string): number | undefined {
  const text = textField(record, name, 60)
  const plain = /^(?:(\d+) (?:days?, )?)?(\d+):(\d\d):(\d\d)(?:\.\d*)?$/.exec(text)
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] =
    plain ?? /^P(?:(\d+)D)?T?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d*)?S)?$/.exec(text) ?? []
  const value = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
  return value > 0 && value < 1e9 ? value : undefined
}
