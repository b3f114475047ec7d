import type { FeatureDocument, Link } from '../documents.ts'
import { heading, linkList, panel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { pathTo } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { readableFields } from '../readable-value.ts'
import { drawFeatures } from '../svg-map.ts'
import { nextLinks } from './next-links.ts'

const root = '/stac'

interface StacChild {
  id: string
  title?: string
  properties?: { title?: string } | null
  collection?: string
}

/** Members of a catalogue, collection, item or page of these that the pages read. */
interface StacDocument {
  type?: string
  id?: string
  title?: string
  description?: string
  properties?: Record<string, unknown>
  geometry?: FeatureDocument['geometry']
  collections?: StacChild[]
  features?: (FeatureDocument & StacChild)[]
  assets?: Record<string, { href: string; title?: string; type?: string }>
  links?: Link[]
}

/** Renders any document of the STAC catalogue: its map, children, assets, links and fields. */
export function stacPage(document: StacDocument, shown: Shown): HtmlPage {
  const { id, description, links = [], features = [], collections = [], assets = {}, ...rest } = document
  const { geometry: _geometry, properties, ...members } = rest
  const title = titleOf(document, shown)
  const drawn = document.type === 'Feature' ? [document as FeatureDocument] : features
  const picture = drawFeatures(drawn, title)
  const children = [
    ...collections.map((one) => childLink(one, shown)),
    ...features.map((one) => childLink(one, shown)),
  ]
  return {
    title,
    description: description ?? title,
    above: placesAbove(shown),
    body: html`${heading(title, { lead: description })}
${picture !== undefined && html`<section class="panel"><div class="map features">${picture}</div></section>`}
${children.length > 0 && panel(title, html`<ul class="places">${children}</ul>`)}
${nextLinks(links, shown)}
<div class="two">${panel(shown.texts.links, linkList([...assetLinks(assets), ...links], shown))}
${panel(id ?? title, readableFields({ ...members, ...properties }, shown))}</div>`,
  }
}

function titleOf({ title, properties, id }: StacDocument, { path }: Shown): string {
  const own = title ?? properties?.['title'] ?? id
  return typeof own === 'string' ? own : decodeURIComponent(path.split('/').at(-1) ?? '')
}

function childLink({ id, title, properties, collection }: StacChild, shown: Shown): Markup {
  const collections = `${root}/collections`
  const path =
    collection === undefined
      ? `${collections}/${encodeURIComponent(id)}`
      : `${collections}/${encodeURIComponent(collection)}/items/${encodeURIComponent(id)}`
  return html`<li><a href="${pathTo(shown, path)}"><bdi>${title ?? properties?.title ?? id}</bdi></a><span class="dim mono">${id}</span></li>`
}

function assetLinks(assets: NonNullable<StacDocument['assets']>): Link[] {
  return Object.values(assets).map(({ href, title = href, type }) => ({
    rel: 'enclosure',
    href,
    title,
    type,
  }))
}

/** The documents above the page. */
function placesAbove({ path }: Shown): [string, string][] {
  const [, , kind, id, part, item] = path.split('/')
  const places: [string, string][] = kind === undefined ? [] : [[root, 'STAC']]
  if (kind !== 'collections' || id === undefined) return places
  places.push([`${root}/collections`, 'Collections'])
  if (part !== undefined) places.push([`${root}/collections/${id}`, decodeURIComponent(id)])
  if (item !== undefined) places.push([`${root}/collections/${id}/items`, 'Items'])
  return places
}
