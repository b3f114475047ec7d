import type { FeatureDocument, ItemsDocument } from '../documents.ts'
import { heading, relationOf, tablePanel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { countText, linkHref, pathTo } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { isWebAddress } from '../readable-value.ts'
import { drawFeatures } from '../svg-map.ts'
import { filterForm } from './items-form.ts'
import { nextLinks } from './next-links.ts'

const maxColumns = 40
const longestCell = 120

/** A page of features, or of the granules of a mosaic. */
export function itemsPage(document: ItemsDocument, shown: Shown): HtmlPage {
  const { items: texts, collections, start } = shown.texts
  const id = collectionOf(shown)
  const title = shown.layer?.details.title ?? id
  const name = shown.path.endsWith('/granules') ? texts.granules : texts.features
  const { features } = document
  return {
    title: `${title}: ${name}`,
    description: texts.description(title),
    above: [
      ['/ogc', start],
      ['/ogc/collections', collections.title],
      [`/ogc/collections/${encodeURIComponent(id)}`, title],
    ],
    isListed: shown.query.size === 0,
    body: html`${heading(name, { lead: title })}
${filterForm(shown)}
${features.length === 0 ? html`<p class="note">${texts.none}</p>` : shownFeatures(document, shown)}`,
  }
}

/** The collection that the address of a page names. */
export function collectionOf({ path }: Shown): string {
  return decodeURIComponent(path.split('/')[3] ?? '')
}

function shownFeatures(document: ItemsDocument, shown: Shown): Markup {
  const { items: texts } = shown.texts
  const { features } = document
  const picture = drawFeatures(features, texts.picture(countText(shown, features.length)))
  return html`${
    picture !== undefined && html`<section class="panel"><div class="map features">${picture}</div></section>`
  }
${tablePanel(rangeText(document, shown), tableOf(features, shown), { aside: nextLinks(document.links, shown, { isSecond: true }) })}
${nextLinks(document.links, shown)}`
}

function rangeText({ numberMatched, numberReturned }: ItemsDocument, shown: Shown): string {
  const { items: texts } = shown.texts
  const count = (one: number): string => countText(shown, one)
  const offset = shown.query.get('offset')
  const from = offset !== null && /^\d{1,15}$/.test(offset) ? Number(offset) : 0
  const isPlaced = numberMatched !== undefined && !shown.query.has('position')
  return isPlaced
    ? texts.range(count(from + 1), count(from + numberReturned), count(numberMatched))
    : texts.part(count(numberReturned), count(numberMatched ?? numberReturned))
}

function columnsOf(features: readonly FeatureDocument[]): string[] {
  return [...new Set(features.flatMap(({ properties }) => Object.keys(properties ?? {})))]
}

function tableOf(features: readonly FeatureDocument[], shown: Shown): Markup {
  const { items: texts } = shown.texts
  const columns = columnsOf(features)
  const seen = columns.slice(0, maxColumns)
  const numeric = new Set(seen.filter((name) => isNumeric(features, name)))
  const rest = columns.length - seen.length
  return html`<table class="rows"><caption class="vh">${texts.table}</caption>
<thead><tr><th scope="col">${texts.id}</th>${seen.map(
    (name) =>
      html`<th scope="col"${numeric.has(name) && html` class="num"`}><bdi class="cell">${name}</bdi></th>`,
  )}</tr></thead>
<tbody>${features.map((one) => rowOf(one, { seen, numeric }, shown))}</tbody></table>
${rest > 0 && html`<p class="dim small rest">${texts.hidden(countText(shown, rest))}</p>`}`
}

function isNumeric(features: readonly FeatureDocument[], name: string): boolean {
  const values = features.map(({ properties }) => properties?.[name]).filter((one) => one != null)
  return values.length > 0 && values.every((one) => typeof one === 'number')
}

function rowOf(
  { id, properties, links = [] }: FeatureDocument,
  { seen, numeric }: { seen: string[]; numeric: Set<string> },
  shown: Shown,
): Markup {
  const path = id === undefined ? undefined : `${shown.path}/${encodeURIComponent(String(id))}`
  const file = links.find((one) => relationOf(one) === 'enclosure')
  const cells = seen.map(
    (name) => html`<td${numeric.has(name) && html` class="num"`}>${cellOf(properties?.[name], shown)}</td>`,
  )
  return html`<tr><th scope="row">${path !== undefined && html`<a href="${keptView(pathTo(shown, path), shown)}"><bdi class="cell">${String(id)}</bdi></a>`}${
    file !== undefined && html` <a class="small" href="${linkHref(shown, file)}"><bdi>${file.title}</bdi></a>`
  }</th>${cells}</tr>`
}

/** A feature of the same version as the list that leads to it. */
function keptView(href: string, { query }: Shown): string {
  const version = query.get('version')
  return version === null
    ? href
    : `${href}${href.includes('?') ? '&' : '?'}version=${encodeURIComponent(version)}`
}

function cellOf(value: unknown, { texts }: Shown): Markup {
  if (value === null || value === undefined)
    return html`<span class="dimmer" aria-label="${texts.feature.nothing}">–</span>`
  if (typeof value === 'boolean') return html`${value ? texts.document.yes : texts.document.no}`
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const short = text.length > longestCell ? `${text.slice(0, longestCell)}…` : text
  return isWebAddress(text)
    ? html`<a class="cell" href="${text}" rel="nofollow noopener">${short}</a>`
    : html`<bdi class="cell">${short}</bdi>`
}
