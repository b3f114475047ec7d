import type { LayerRecord } from '../../../catalog/index.ts'
import type { Language } from './language.ts'
import type { Markup } from './markup.ts'
import type { Texts } from './messages/en.ts'

/** Names of the pages' style sheet and script; absent if they are not built. */
export interface PageFiles {
  styles: readonly string[]
  script?: string
}

/** The same in another form. */
export interface Form {
  name: string
  type: string
  href: string
}

/** Context of a page besides its document. */
export interface Shown {
  language: Language
  texts: Texts
  /** Path of the page below the base path, and its query. */
  path: string
  query: URLSearchParams
  /** Known query parameters. */
  parameters: ReadonlySet<string>
  /** Whole address of a path below the base path. */
  link(path: string): string
  files: PageFiles
  version: string
  /** The same in other forms. */
  forms: readonly Form[]
  /** Name of who is signed in. */
  user?: string
  /** The layer that the page is about, as the catalogue has it. */
  layer?: Pick<LayerRecord, 'details'> & Partial<Pick<LayerRecord, 'createdAt' | 'updatedAt'>>
}

/** A page before it gets its frame. */
export interface HtmlPage {
  title: string
  description: string
  /** The places above it, outermost first: path and name. */
  above: readonly (readonly [string, string])[]
  body: Markup
  /** Structured data for search engines. */
  data?: object
  /** True if search engines may index it. */
  isListed?: boolean
}

/** Returns an address of this server as a path, which works under any host name; others are unchanged. */
export function localHref(shown: Shown, href: string): string {
  const base = shown.link('')
  if (href !== base && !/^[/?]/.test(href.slice(base.length))) return href
  if (!href.startsWith(base)) return href
  const path = basePathOf(shown) + href.slice(base.length)
  return withLanguage(shown, path === '' ? '/' : path)
}

const pageTypes =
  /^(?:text\/html|application\/(?:json|(?:geo|schema|ogc-catalog|vnd\.oai\.openapi)\+json))(?=;|$)/

/** Returns a link as a path of this server; pages in the language of the address. */
export function linkHref(shown: Shown, { href, type }: { href: string; type?: string }): string {
  return localHref(type === undefined || pageTypes.test(type) ? shown : withoutLanguage(shown), href)
}

function withoutLanguage(shown: Shown): Shown {
  const query = new URLSearchParams(shown.query)
  query.delete('lang')
  return { ...shown, query }
}

/** A path below the base path, in the language that the address names. */
export function pathTo(shown: Shown, path: string): string {
  return withLanguage(shown, basePathOf(shown) + path)
}

/** Returns the path of an asset. */
export function fileAt(shown: Shown, name: string): string {
  return `${basePathOf(shown)}/assets/${encodeURIComponent(name)}`
}

/** The same page with other parameters; what is `undefined` is left out. */
export function hereWith(shown: Shown, changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams(shown.query)
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) query.delete(name)
    else query.set(name, value)
  const text = query.toString()
  return basePathOf(shown) + shown.path + (text === '' ? '' : `?${text}`)
}

export function basePathOf({ link }: Shown): string {
  return new URL(link('/')).pathname.replace(/\/$/, '')
}

function withLanguage({ query }: Shown, path: string): string {
  const language = query.get('lang')
  if (language === null || !/^[^?#]*\/ogc(?=[/?]|$)/.test(path) || /[?&](?:lang|f)=/.test(path)) return path
  return `${path}${path.includes('?') ? '&' : '?'}lang=${encodeURIComponent(language)}`
}

export function countText({ texts }: Shown, count: number): string {
  return new Intl.NumberFormat(texts.locale).format(count)
}

const dayForm = { dateStyle: 'medium', timeZone: 'UTC' } as const
const timeForm = { ...dayForm, timeStyle: 'short' } as const

/** Formats a time or a day in the language. */
export function shownTime({ texts }: Shown, iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return iso
  const isDay = /T(?:00:00:00(?:\.0+)?|23:59:59(?:\.9+)?)Z$/.test(iso) || !iso.includes('T')
  return (
    new Intl.DateTimeFormat(texts.locale, isDay ? dayForm : timeForm).format(date) + (isDay ? '' : ' UTC')
  )
}
