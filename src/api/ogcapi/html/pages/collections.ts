import type { CollectionDocument, CollectionsDocument } from '../documents.ts'
import { placesText } from '../extent-text.ts'
import { heading, thumbnail } from '../fragments.ts'
import { signInPath } from '../frame.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { countText, hereWith, pathTo } from '../html-page.ts'
import { catalogueData } from '../linked-data.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'

const perPage = 60

/** Every layer that the reader may see. */
export function collectionsPage(document: CollectionsDocument, shown: Shown): HtmlPage {
  const { collections: texts, start } = shown.texts
  const { collections } = document
  const requested = Number(shown.query.get('offset') ?? 0)
  const from =
    Number.isSafeInteger(requested) && requested > 0 && requested < collections.length ? requested : 0
  const page = collections.slice(from, from + perPage)
  const count = texts.count(countText(shown, collections.length), collections.length === 1)
  return {
    title: texts.title,
    description: texts.description,
    above: [['/ogc', start]],
    isListed: true,
    data: catalogueData(texts.title, shown, page),
    body: html`${heading(texts.title, { lead: count })}
${collections.length === 0 && nothing(document, shown)}
<ul class="cards ogc-cards">${page.map((one) => card(one, shown))}</ul>
${pages({ from, all: collections.length }, shown)}`,
  }
}

function nothing({ description }: CollectionsDocument, shown: Shown): Markup {
  const { collections, problem } = shown.texts
  const isSignedOut = shown.user === undefined
  return html`<div class="note"><div><p>${collections.none}${isSignedOut && description !== undefined && html` ${problem.signInHint}`}</p>
${isSignedOut && html`<p><a href="${signInPath(shown)}">${collections.signIn}</a></p>`}</div></div>`
}

/** Returns the path of a collection's page. */
function collectionPath(id: string): string {
  return `/ogc/collections/${encodeURIComponent(id)}`
}

/** True if the collection can be drawn. */
export function isDrawable({ links, itemType }: CollectionDocument): boolean {
  return itemType === 'coverage' || links.some(({ rel }) => rel.endsWith('/tilesets-vector'))
}

function card(collection: CollectionDocument, shown: Shown): Markup {
  const { id, title, description, itemType, extent } = collection
  const { collection: texts } = shown.texts
  const path = pathTo(shown, collectionPath(id))
  return html`<li class="card">
<div class="map">${isDrawable(collection) && thumbnail(id, shown, [480, 240])}</div>
<div class="txt"><h2 dir="auto"><a href="${path}">${title}</a></h2>
<p class="mono dim cut"><bdi>${id}</bdi></p>
${description !== undefined && html`<p class="about" dir="auto">${description}</p>`}
<p class="meta"><span class="tag">${itemType === 'coverage' ? texts.coverage : texts.feature}</span><span class="dim">${placesText(extent, shown)}</span></p>
</div></li>`
}

function pages({ from, all }: { from: number; all: number }, shown: Shown): Markup | false {
  if (all <= perPage) return false
  const { items, collections } = shown.texts
  const at = (offset: number): string => hereWith(shown, { offset: offset <= 0 ? undefined : String(offset) })
  const to = Math.min(all, from + perPage)
  const count = (one: number): string => countText(shown, one)
  return html`<nav class="pages" aria-label="${items.pages}">
${from > 0 && html`<a class="btn sm" rel="prev" href="${at(from - perPage)}">${items.prev}</a>`}
<span>${collections.more(count(from + 1), count(to), count(all))}</span>
${to < all && html`<a class="btn sm" rel="next" href="${at(to)}">${items.next}</a>`}
</nav>`
}
