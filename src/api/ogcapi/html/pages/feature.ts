import type { FeatureDocument } from '../documents.ts'
import { heading, linkList, panel, tablePanel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { html } from '../markup.ts'
import { readableValue } from '../readable-value.ts'
import { drawFeatures } from '../svg-map.ts'
import { collectionOf } from './items.ts'

/** Renders one feature with its values and geometry. */
export function featurePage(feature: FeatureDocument, shown: Shown): HtmlPage {
  const { feature: texts, items, collections, start } = shown.texts
  const collection = collectionOf(shown)
  const layerTitle = shown.layer?.details.title ?? collection
  const id = String(feature.id ?? '')
  const title = texts.title(id)
  const listPath = shown.path.slice(0, shown.path.lastIndexOf('/'))
  const links = feature.links?.filter(({ rel }) => rel === 'enclosure') ?? []
  return {
    title: `${title}: ${layerTitle}`,
    description: texts.description(id, layerTitle),
    above: [
      ['/ogc', start],
      ['/ogc/collections', collections.title],
      [`/ogc/collections/${encodeURIComponent(collection)}`, layerTitle],
      [listPath, listPath.endsWith('/granules') ? items.granules : items.features],
    ],
    body: html`${heading(title)}
<div class="layer-parts">
${mapOf(feature, shown)}
${tablePanel(texts.values, valuesOf(feature, shown))}
${links.length > 0 && panel(shown.texts.links, linkList(links, shown))}
</div>`,
  }
}

function mapOf(feature: FeatureDocument, shown: Shown) {
  const { feature: texts, collection } = shown.texts
  const picture = drawFeatures([feature], collection.mapOf(texts.title(String(feature.id))))
  return html`<section class="panel layer-map"><header><h2>${collection.map}</h2>${
    feature.geometry !== null && html`<span class="tag">${feature.geometry.type}</span>`
  }</header>${picture === undefined ? html`<p class="body dim">${texts.noGeometry}</p>` : html`<div class="map">${picture}</div>`}</section>`
}

function valuesOf({ properties }: FeatureDocument, shown: Shown) {
  const { feature: texts } = shown.texts
  return html`<table class="values"><caption class="vh">${texts.values}</caption>
<thead><tr><th scope="col">${texts.column}</th><th scope="col">${texts.value}</th></tr></thead>
<tbody>${Object.entries(properties ?? {}).map(
    ([name, value]) =>
      html`<tr><th scope="row"><bdi>${name}</bdi></th><td dir="auto">${readableValue(value, shown)}</td></tr>`,
  )}</tbody></table>`
}
