import type { RequestData } from './request-data.ts'
import { isObject, requestText, toRequestData } from './request-data.ts'
import { readXmlRecord } from './xml-record.ts'

/** A list of requests: complete records, or numbers of records to fetch one by one. */
export interface MonitorList {
  records: RequestData[]
  ids: number[]
  /** Length of the parsed text. */
  length: number
}

export const listFormats = ['json', 'xml', 'html'] as const
export type ListFormat = (typeof listFormats)[number]

const recordName = 'org.geoserver.monitor.RequestData'
const maxDepth = 5

/** Parses a list response; throws if it is not a list. */
export function readList(text: string, format: ListFormat): MonitorList {
  if (format === 'html') return { records: [], ids: linkedIds(text), length: text.length }
  const list: MonitorList = { records: [], ids: [], length: text.length }
  const document: unknown = format === 'json' ? JSON.parse(text) : readXmlRecord(text)
  if (typeof document !== 'object' || document === null) throw new Error('It is not a list of requests')
  gather(document, Array.isArray(document), 0, list)
  return list
}

/** Parses the response for one request. */
export function readRecord(text: string, format: 'json' | 'xml'): RequestData | undefined {
  const document: unknown = format === 'json' ? JSON.parse(text) : readXmlRecord(text)
  if (!isObject(document)) return undefined
  return toRequestData(document[recordName] ?? document)
}

function gather(value: unknown, isRecord: boolean, depth: number, list: MonitorList): void {
  if (depth > maxDepth) return
  if (Array.isArray(value)) {
    for (const one of value) gather(one, isRecord, depth + 1, list)
  } else if (isObject(value)) {
    const wrapped = value[recordName]
    if (wrapped !== undefined) gather(wrapped, true, depth + 1, list)
    else if (isRecord) take(value, list)
    else for (const one of Object.values(value)) gather(one, false, depth + 1, list)
  }
}

function take(value: Record<string, unknown>, list: MonitorList): void {
  const record = toRequestData(value)
  if (record !== undefined) list.records.push(record)
  else {
    const text = requestText(value['id']) || requestText(value['name'])
    if (/^\d{1,15}$/.test(text)) list.ids.push(Number(text))
  }
}

function linkedIds(html: string): number[] {
  const ids = new Set<number>()
  for (const [, id] of html.matchAll(/\/monitor\/requests\/(\d{1,15})\.html/g)) ids.add(Number(id))
  if (ids.size === 0 && !/<table/i.test(html)) throw new Error('It is not a list of requests')
  return [...ids]
}
