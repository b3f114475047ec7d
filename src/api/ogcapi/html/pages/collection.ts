import { doiAddress } from '../../../doi.ts'
import type { CollectionDocument } from '../documents.ts'
import { placesText, timesText } from '../extent-text.ts'
import { facts, heading, linkList, panel, thumbnail } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { basePathOf, countText, localHref, shownTime } from '../html-page.ts'
import { datasetData } from '../linked-data.ts'
import type { Markup, Part } from '../markup.ts'
import { html } from '../markup.ts'
import { readableValue } from '../readable-value.ts'
import { isDrawable } from './collections.ts'

/** Renders one layer: its map, its properties, and links to its data. */
export function collectionPage(document: CollectionDocument, shown: Shown): HtmlPage {
  const { id, title, description } = document
  const { collection: texts, collections, start } = shown.texts
  return {
    title,
    description: description ?? `${title} (${id})`,
    above: [
      ['/ogc', start],
      ['/ogc/collections', collections.title],
    ],
    isListed: true,
    data: datasetData(document, shown),
    body: html`${heading(title, { lead: description, acts: mainAct(document, shown) })}
<div class="layer-parts">
${isDrawable(document) && mapFigure(document, shown)}
${panel(texts.about, factsOf(document, shown))}
${panel(texts.use, linkList(document.links, shown))}
</div>`,
  }
}

function mainAct({ links }: CollectionDocument, shown: Shown): Markup | undefined {
  const { collection: texts } = shown.texts
  const items = links.find(({ rel }) => rel === 'items' || rel === 'granules')
  if (items === undefined) return undefined
  const name = items.rel === 'items' ? texts.look : texts.granules
  return html`<a class="btn main" href="${localHref(shown, items.href)}">${name}</a>`
}

/** Renders an image of the layer, which a script replaces by an interactive map if possible. */
function mapFigure({ id, title }: CollectionDocument, shown: Shown): Markup {
  const { collection: texts } = shown.texts
  const query = new URLSearchParams({ layers: id }).toString()
  const base = basePathOf(shown)
  return html`<section class="panel layer-map"><header><h2>${texts.map}</h2><a class="small" href="${base}/app/map?${query}">${texts.openMap}</a></header>
<div class="map" data-embed="${base}/embed/map?${query}" data-title="${texts.mapOf(title)}">${thumbnail(id, shown, [960, 480])}</div></section>`
}

function factsOf(document: CollectionDocument, shown: Shown): Markup {
  const { collection: texts } = shown.texts
  const { id, itemType, extent, crs, storageCrs, size, resolution, bands, granuleCount } = document
  const details = shown.layer?.details
  const number = (value: number): string => countText(shown, value)
  return facts([
    [texts.id, html`<span class="mono">${id}</span>`],
    [texts.kind, itemType === 'coverage' ? texts.coverage : texts.feature],
    [texts.description, details?.description],
    [texts.keywords, details?.keywords?.map((word) => html`<span class="tag"><bdi>${word}</bdi></span> `)],
    [texts.licence, reported(details?.licence, shown)],
    [texts.attribution, details?.attribution],
    [texts.contact, reported(details?.contact, shown)],
    [texts.owner, reported(details?.owner, shown)],
    [texts.citation, reported(details?.citation, shown)],
    ['DOI', details?.doi ? readableValue(doiAddress(details.doi), shown) : undefined],
    [texts.where, placesText(extent, shown)],
    [texts.when, timesText(extent, shown)],
    [texts.size, size && texts.cells(number(size.width), number(size.height))],
    [texts.resolution, resolution && `${shortNumber(resolution.x)} × ${shortNumber(resolution.y)}`],
    [texts.bands, bands?.map(({ name, type }) => html`<span class="tag"><bdi>${name}</bdi> ${type}</span> `)],
    [texts.granuleCount, granuleCount === undefined ? undefined : number(granuleCount)],
    [texts.storageCrs, storageCrs && crsName(storageCrs)],
    [texts.crs, crs?.map(crsName).join(', ')],
    [texts.updated, shown.layer?.updatedAt && shownTime(shown, shown.layer.updatedAt)],
  ])
}

function reported(text: string | undefined, shown: Shown): Part {
  return text === undefined ? undefined : readableValue(text, shown)
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(6)))
}

/** `EPSG:25832` for `http://www.opengis.net/def/crs/EPSG/0/25832`. */
function crsName(uri: string): string {
  const [, authority, code] = /\/def\/crs\/([^/]+)\/[^/]+\/([^/]+)$/.exec(uri) ?? []
  if (authority === undefined || code === undefined) return uri
  return authority === 'OGC' ? code : `${authority}:${code}`
}
