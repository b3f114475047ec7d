import { doiAddress } from '../../../doi.ts'
import type { FeatureDocument, ItemsDocument, LandingDocument, Link } from '../documents.ts'
import { facts, heading, linkList, panel, thumbnail } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { basePathOf, countText, linkHref, pathTo, shownTime } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { readableValue } from '../readable-value.ts'
import { placesAbove } from './any-document.ts'
import { nextLinks } from './next-links.ts'

/** Members of a layer's record that the pages read. */
interface RecordProperties {
  title?: string
  description?: string
  keywords?: string[]
  updated?: string
  created?: string
  license?: string
  rights?: string
  contacts?: { name?: string; roles: string[] }[]
  citation?: string
  externalIds?: { scheme?: string; value: string }[]
}

function namesOf(contacts: { name?: string }[]): string {
  return contacts.flatMap(({ name }) => name ?? []).join(', ')
}

/** The landing page of the catalogue, or its collection. */
export function cataloguePage({ title, links }: LandingDocument, shown: Shown): HtmlPage {
  const { records: texts } = shown.texts
  return {
    title,
    description: texts.lead,
    above: placesAbove(shown),
    body: html`${heading(title, { lead: texts.lead })}${panel(shown.texts.links, linkList(links, shown))}`,
  }
}

function reported({ properties }: FeatureDocument): RecordProperties {
  return properties ?? {}
}

/** The layers that a search in the catalogue finds. */
export function recordsPage(document: ItemsDocument, shown: Shown): HtmlPage {
  const { records: texts, items } = shown.texts
  const { features, numberMatched = features.length } = document
  const count = texts.found(countText(shown, numberMatched))
  return {
    title: texts.title,
    description: texts.lead,
    above: placesAbove(shown),
    body: html`${heading(texts.title, { lead: count })}${searchForm(shown)}
${features.length === 0 && html`<p class="note">${items.none}</p>`}
<ul class="cards ogc-cards">${features.map((one) => card(one, shown))}</ul>
${nextLinks(document.links, shown)}`,
  }
}

function searchForm(shown: Shown): Markup {
  const { records: texts, items } = shown.texts
  const { path, query } = shown
  const field = (name: string, label: string, hint: string): Markup =>
    html`<div class="field"><label for="ask-${name}">${label}</label><input class="in" id="ask-${name}" name="${name}" value="${query.get(name) ?? ''}" aria-describedby="ask-${name}-hint" autocomplete="off"/><span class="hint" id="ask-${name}-hint">${hint}</span></div>`
  const language = query.get('lang')
  return html`<form class="panel ask" method="get" action="${basePathOf(shown) + path}" role="search"><div class="body">
${field('q', texts.words, texts.wordsHint)}${field('bbox', items.bbox, items.bboxHint)}${field('datetime', items.datetime, items.datetimeHint)}
${language !== null && html`<input type="hidden" name="lang" value="${language}"/>`}
<div class="row wrap do"><button class="btn main" type="submit">${items.apply}</button>${
    query.size > (language === null ? 0 : 1) &&
    html`<a class="btn quiet" href="${pathTo(shown, path)}">${items.reset}</a>`
  }</div></div></form>`
}

function card(record: FeatureDocument, shown: Shown): Markup {
  const { title = '', description, updated } = reported(record)
  const id = String(record.id ?? '')
  const isDrawn = record.geometry !== null
  return html`<li class="card"><div class="map">${isDrawn && thumbnail(id, shown, [480, 240])}</div>
<div class="txt"><h2 dir="auto"><a href="${pathTo(shown, `${shown.path}/${encodeURIComponent(id)}`)}">${title}</a></h2>
<p class="mono dim cut"><bdi>${id}</bdi></p>
${description !== undefined && html`<p class="about" dir="auto">${description}</p>`}
${updated !== undefined && html`<p class="meta"><span class="dim">${shownTime(shown, updated)}</span></p>`}
</div></li>`
}

/** Renders one layer as a record, with all links. */
export function recordPage(record: FeatureDocument, shown: Shown): HtmlPage {
  const { records: texts, collection } = shown.texts
  const properties = reported(record)
  const {
    title = '',
    description,
    keywords = [],
    updated,
    created,
    license,
    rights,
    contacts = [],
    citation,
    externalIds: [doi] = [],
  } = properties
  const id = String(record.id ?? '')
  const path = `/ogc/collections/${encodeURIComponent(id)}`
  const about = facts([
    [collection.id, html`<span class="mono">${id}</span>`],
    [collection.keywords, keywords.map((word) => html`<span class="tag"><bdi>${word}</bdi></span> `)],
    [collection.licence, license],
    [collection.attribution, rights],
    [collection.contact, namesOf(contacts.filter(({ roles }) => !roles.includes('owner')))],
    [collection.owner, namesOf(contacts.filter(({ roles }) => roles.includes('owner')))],
    [collection.citation, citation],
    ['DOI', doi && readableValue(doiAddress(doi.value), shown)],
    [texts.created, created && shownTime(shown, created)],
    [collection.updated, updated && shownTime(shown, updated)],
  ])
  const act = html`<a class="btn main" href="${pathTo(shown, path)}">${texts.open}</a>`
  return {
    title,
    description: description ?? title,
    above: placesAbove(shown),
    body: html`${heading(title, { lead: description, acts: act })}
<div class="two">${panel(collection.about, about)}${panel(collection.use, waysTo(record.links ?? [], shown))}</div>`,
  }
}

const about = new Set(['self', 'alternate', 'collection', 'profile'])

/** Lists each URL of the data with its content. */
function waysTo(links: readonly Link[], shown: Shown): Markup {
  const items = links
    .filter(({ rel }) => !about.has(rel))
    .map((one) => {
      const name = one.title ?? one.rel
      const isOpen = one.templated !== true && !/[{}]/.test(one.href)
      return html`<li>${isOpen ? html`<a href="${linkHref(shown, one)}" rel="nofollow"><bdi>${name}</bdi></a>` : html`<bdi>${name}</bdi>${readableValue(one.href, shown)}`}${
        one.type !== undefined && html`<span class="dim mono">${one.type}</span>`
      }</li>`
    })
  return html`<ul class="places">${items}</ul>`
}
