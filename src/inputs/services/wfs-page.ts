import { invalid } from '../../core/errors/errors.ts'
import { serviceFailure } from './service-client.ts'

/** A GML page in parts. */
export interface GmlPage {
  /** XML declaration and start tag of the collection. */
  head: string
  members: string
  tail: string
  rows: number
  /** Ids of the features; empty if they have none. */
  ids: string[]
  /** Total number of features, if the service states it. */
  matched?: number
  /** True if the page links to a next one. */
  hasNext: boolean
}

const collection = /<((?:\w+:)?FeatureCollection)\b[^>]*?(\/?)>/s
const bounds = /<((?:\w+:)?boundedBy)\b[^>]*>.*?<\/\1>/s
const memberStart = /<(?:\w+:)?(?:member|featureMembers?)\b[^>]*>/g
const featureId = /<[\w.:-]+(?:\s+[\w.:-]+="[^"]*")*?\s+(?:gml:id|fid)="([^"]*)"/

/** Returns the exception that a document reports; undefined if it is another document. */
export function exceptionOf(text: string, url: URL): Error | undefined {
  if (!/<(?:\w+:)?(ExceptionReport|ServiceExceptionReport)\b/.test(text)) return undefined
  const [, reason = ''] = /<(?:\w+:)?(?:ExceptionText|ServiceException)\b[^>]*>(.*?)</s.exec(text) ?? []
  return serviceFailure(`The service answers an exception: ${reason.trim().slice(0, 500)} (${url.href})`)
}

/** Parses a feature collection of WFS. Throws `Failure`. */
export function parsePage(text: string, url: URL): GmlPage {
  const start = collection.exec(text)
  if (start === null)
    throw exceptionOf(text, url) ?? serviceFailure(`The service answers no feature collection: ${url.href}`)
  const [tag, name = '', closed] = start
  const head = text.slice(0, start.index) + tag
  const matched = numberIn(tag, /\snumberMatched="(\d+)"/)
  const tail = `</${name}>`
  if (closed === '/') {
    const open = head.replace(/\s*\/>$/, '>')
    return { head: open, members: '', tail, rows: 0, ids: [], matched, hasNext: false }
  }
  const end = text.lastIndexOf(tail)
  if (end < 0) throw serviceFailure(`The answer of the service is cut off: ${url.href}`)
  const inner = text.slice(start.index + tag.length, end)
  const first = inner.search(memberStart)
  const before = first < 0 ? '' : inner.slice(0, first).replace(bounds, '')
  const members = first < 0 ? '' : before + inner.slice(first)
  const { rows, ids } = countFeatures(members)
  const returned = numberIn(tag, /\s(?:numberReturned|numberOfFeatures)="(\d+)"/)
  if (returned !== undefined && returned !== rows)
    throw invalid('wrong-count', `A page of the service states ${returned} features and has ${rows}`)
  const hasNext = /\snext="[^"]+"/.test(tag)
  return { head, members, tail, rows, ids, matched, hasNext }
}

/** Returns the number of features in the response to `resultType=hits`, if stated. */
export function parseHits(text: string): number | undefined {
  const [tag = ''] = collection.exec(text) ?? []
  return numberIn(tag, /\s(?:numberMatched|numberOfFeatures)="(\d+)"/)
}

function numberIn(tag: string, form: RegExp): number | undefined {
  const digits = form.exec(tag)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Counts the features, which are the child elements of members; `featureMembers` has several. */
function countFeatures(members: string): { rows: number; ids: string[] } {
  let rows = 0
  const ids: string[] = []
  for (const part of members.split(memberStart).slice(1)) {
    const element = /<([\w.:-]+)/.exec(part)?.[1]
    if (element === undefined) continue
    const name = element.replaceAll('.', '\\.')
    if (featureId.exec(part)?.[0].startsWith(`<${element}`) !== true) {
      rows += part.match(new RegExp(`<${name}[\\s/>]`, 'g'))?.length ?? 0
      continue
    }
    const each = new RegExp(`<${name}\\s[^>]*?(?:gml:id|fid)="([^"]*)"`, 'g')
    const found = [...part.matchAll(each)].map(([, id = '']) => id)
    rows += found.length
    for (const id of found) ids.push(id)
  }
  return { rows, ids }
}

/** Returns the identifiers of CRSs in a page. */
export function srsNamesOf({ members }: GmlPage): Set<string> {
  return new Set([...members.matchAll(/\ssrsName\s*=\s*["']([^"']*)["']/g)].map(([, name = '']) => name))
}

/** Returns the first coordinates of a page. */
export function firstPosition({ members }: GmlPage): number[] | undefined {
  const form = /<(?:\w+:)?(?:pos|posList|coordinates)\b[^>]*>\s*([-+\d.eE]+)[\s,]+([-+\d.eE]+)/
  const [, a, b] = form.exec(members) ?? []
  return a === undefined || b === undefined ? undefined : [Number(a), Number(b)]
}

/** Replaces an identifier of a CRS in a page. */
export function withSrsName(page: GmlPage, from: string, to: string): GmlPage {
  const quoted = from.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const form = new RegExp(`(\\ssrsName\\s*=\\s*["'])${quoted}(["'])`, 'g')
  return { ...page, members: page.members.replace(form, `$1${to}$2`) }
}
