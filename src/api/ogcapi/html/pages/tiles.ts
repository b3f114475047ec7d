import type { Link } from '../documents.ts'
import { facts, heading, linkList, panel, tablePanel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { countText, localHref } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { readableValue } from '../readable-value.ts'
import { placesAbove } from './any-document.ts'

interface Entry {
  id?: string
  title?: string
  crs?: unknown
  links?: Link[]
}

interface Tileset extends Entry {
  description?: string
  attribution?: string
  license?: string
  tileMatrixSetLimits?: {
    tileMatrix: string
    minTileRow: number
    maxTileRow: number
    minTileCol: number
    maxTileCol: number
  }[]
  layers?: { propertiesSchema?: { properties?: Record<string, unknown> } }[]
}

interface TileMatrixSet extends Entry {
  uri?: string
  tileMatrices: {
    id: string
    scaleDenominator: number
    cellSize: number
    matrixWidth: number
    matrixHeight: number
  }[]
}

function pageOf(title: string, body: Markup, shown: Shown): HtmlPage {
  return { title, description: title, above: placesAbove(shown), body }
}

/** The sets that tiles are cut by. */
export function tileMatrixSetsPage({ tileMatrixSets }: { tileMatrixSets: Entry[] }, shown: Shown): HtmlPage {
  const { sets } = shown.texts.tiles
  return pageOf(sets, html`${heading(sets)}${panel(sets, entryList(tileMatrixSets, shown))}`, shown)
}

/** The tilesets of a layer. */
export function tilesetsPage({ tilesets }: { tilesets: Entry[] }, shown: Shown): HtmlPage {
  const { tilesets: name } = shown.texts.tiles
  const lead = shown.layer?.details.title
  const body = html`${heading(name, lead === undefined ? {} : { lead })}${panel(name, entryList(tilesets, shown))}`
  return pageOf(name, body, shown)
}

function entryList(entries: readonly Entry[], shown: Shown): Markup {
  const items = entries.map(({ id, title, links = [] }) => {
    const self = links.find(({ rel }) => rel === 'self')
    const name = title ?? id ?? ''
    return html`<li>${self === undefined ? name : html`<a href="${localHref(shown, self.href)}"><bdi>${name}</bdi></a>`}${
      id !== undefined && id !== name && html`<span class="dim mono">${id}</span>`
    }</li>`
  })
  return html`<ul class="places">${items}</ul>`
}

/** Renders a tile matrix set, zoom by zoom. */
export function tileMatrixSetPage(set: TileMatrixSet, shown: Shown): HtmlPage {
  const { tiles: texts } = shown.texts
  const title = set.title ?? set.id ?? texts.sets
  const rows = set.tileMatrices.map(
    ({ id, scaleDenominator, cellSize, matrixWidth, matrixHeight }) =>
      html`<tr><th scope="row">${id}</th><td class="num">${countText(shown, Math.round(scaleDenominator))}</td><td class="num">${Number(cellSize.toPrecision(8))}</td><td class="num">${countText(shown, matrixWidth)}</td><td class="num">${countText(shown, matrixHeight)}</td></tr>`,
  )
  const table = html`<table><caption class="vh">${title}</caption><thead><tr><th scope="col">${texts.matrix}</th><th scope="col" class="num">${texts.scale}</th><th scope="col" class="num">${texts.cell}</th><th scope="col" class="num">${texts.wide}</th><th scope="col" class="num">${texts.high}</th></tr></thead><tbody>${rows}</tbody></table>`
  return pageOf(
    title,
    html`${heading(title, set.uri === undefined ? {} : { lead: set.uri })}${tablePanel(title, table)}`,
    shown,
  )
}

/** Renders one tileset of a layer. */
export function tilesetPage(tileset: Tileset, shown: Shown): HtmlPage {
  const { tiles: texts, links: linksName, collection } = shown.texts
  const { title = '', links = [], tileMatrixSetLimits = [], layers = [] } = tileset
  const template = links.find((one) => one.templated === true)?.href
  const attributes = Object.keys(layers[0]?.propertiesSchema?.properties ?? {})
  const about = facts([
    [texts.template, template && html`<code class="uri">${template}</code>`],
    [collection.attribution, tileset.attribution],
    [collection.licence, tileset.license && readableValue(tileset.license, shown)],
    [texts.attributes, attributes.map((name) => html`<span class="tag"><bdi>${name}</bdi></span> `)],
  ])
  const body = html`${heading(title, tileset.description === undefined ? {} : { lead: tileset.description })}
<div class="two">${panel(shown.texts.collection.about, about)}${panel(linksName, linkList(links, shown))}</div>
${tileMatrixSetLimits.length > 0 && tablePanel(texts.limits, limitsTable(tileMatrixSetLimits, shown))}`
  return pageOf(title, body, shown)
}

function limitsTable(limits: NonNullable<Tileset['tileMatrixSetLimits']>, shown: Shown): Markup {
  const { tiles: texts } = shown.texts
  const rows = limits.map(
    (one) =>
      html`<tr><th scope="row">${one.tileMatrix}</th><td class="num">${one.minTileCol} – ${one.maxTileCol}</td><td class="num">${one.minTileRow} – ${one.maxTileRow}</td></tr>`,
  )
  return html`<table><caption class="vh">${texts.limits}</caption><thead><tr><th scope="col">${texts.matrix}</th><th scope="col" class="num">${texts.columns}</th><th scope="col" class="num">${texts.rows}</th></tr></thead><tbody>${rows}</tbody></table>`
}
