import type { Link } from '../documents.ts'
import { heading, panel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { html } from '../markup.ts'
import { readableFields } from '../readable-value.ts'

/** Renders a document without a page of its own: all its members, by name. */
export function anyDocument(document: object, shown: Shown): HtmlPage {
  const { title, links: _links, ...rest } = document as { title?: unknown; links?: Link[] }
  const name = typeof title === 'string' ? title : lastOf(shown.path)
  return {
    title: name,
    description: name,
    above: placesAbove(shown),
    body: html`${heading(name)}${panel(name, readableFields(rest, shown))}`,
  }
}

function lastOf(path: string): string {
  return decodeURIComponent(path.split('/').at(-1) ?? '')
}

const recordsCollection = '/ogc/catalogue/collections/layers'

/** The addresses above a page that are pages themselves. */
export function placesAbove(shown: Shown): [string, string][] {
  const { start, collections, records, tiles } = shown.texts
  const [, , kind, id, part, last] = shown.path.split('/')
  const places: [string, string][] = [['/ogc', start]]
  if (kind === 'catalogue' && id !== undefined) places.push(['/ogc/catalogue', records.title])
  if (kind === 'catalogue' && last !== undefined) places.push([recordsCollection, records.layers])
  if (kind === 'catalogue' && shown.path.startsWith(`${recordsCollection}/items/`))
    places.push([`${recordsCollection}/items`, records.records])
  if (kind === 'tileMatrixSets' && id !== undefined) places.push(['/ogc/tileMatrixSets', tiles.sets])
  if (kind !== 'collections' || id === undefined) return places
  places.push(['/ogc/collections', collections.title])
  const collection = `/ogc/collections/${id}`
  if (part !== undefined) places.push([collection, shown.layer?.details.title ?? decodeURIComponent(id)])
  if (part === 'tiles' && shown.path !== `${collection}/tiles`)
    places.push([`${collection}/tiles`, tiles.tilesets])
  return places
}
