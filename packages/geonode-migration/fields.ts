import { isIP } from 'node:net'
import type { DumpRecord } from './read-dump.ts'

/** PostgreSQL's index cannot store longer values. */
const defaultLength = 500
/** Maximum of GeoNode's decimals. */
const maxNumber = 1e16

/** A record that cannot be used; the message is the reason that is reported. */
export class SkippedRecord extends Error {}

/**
 * Reads a text that every database accepts: without NUL and incomplete surrogate pairs, cut after `maxLength`
 * characters.
 */
export function textField({ fields }: DumpRecord, name: string, maxLength = defaultLength): string {
  const value = fields[name]
  if (value == null) return ''
  if (typeof value !== 'string' && typeof value !== 'number') throw new SkippedRecord(`${name} is not text`)
  return String(value).slice(0, maxLength).toWellFormed().replaceAll('\0', '')
}

export function requiredText(record: DumpRecord, name: string, maxLength?: number): string {
  const text = textField(record, name, maxLength)
  if (text === '') throw new SkippedRecord(`${name} is empty`)
  return text
}

export function addressField(record: DumpRecord, name: string): string {
  const text = requiredText(record, name, 45)
  if (isIP(text) === 0) throw new SkippedRecord(`${name} is not an address`)
  return text
}

/** The key of another object; empty for none. */
export function keyField({ fields }: DumpRecord, name: string): string {
  const value = fields[name]
  if (value == null) return ''
  if (typeof value !== 'string' && typeof value !== 'number') throw new SkippedRecord(`${name} is not a key`)
  return String(value)
}

/** Numbers come as numbers and as decimal text, of at most 16 digits before the point. */
export function numberField({ fields }: DumpRecord, name: string): number | undefined {
  const value = fields[name]
  if (value == null || value === '') return undefined
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw new SkippedRecord(`${name} is not a number`)
  if (Math.abs(number) >= maxNumber) throw new SkippedRecord(`${name} is out of range`)
  return number
}

/** A whole number from 0 on; 0 where there is none. */
export function countField(record: DumpRecord, name: string): number {
  return Math.max(0, Math.trunc(numberField(record, name) ?? 0))
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
  if (!(time >= earliest && time <= latest)) throw new SkippedRecord(`${name} is not a time`)
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
