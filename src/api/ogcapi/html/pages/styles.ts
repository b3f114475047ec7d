import type { Link } from '../documents.ts'
import { heading, linkList, panel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { linkHref, pathTo } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { readableFields } from '../readable-value.ts'
import { placesAbove } from './any-document.ts'
import { nextLinks } from './next-links.ts'

interface StyleEntry {
  id: string
  title: string
  links: Link[]
}

/** The styles of the server, or of a layer, with their encodings. */
export function stylesPage(
  { styles, links }: { styles: StyleEntry[]; links: Link[] },
  shown: Shown,
): HtmlPage {
  const [title] = shown.texts.rels['styles'] ?? ['Styles']
  return {
    title,
    description: title,
    above: placesAbove(shown),
    body: html`${heading(title)}
${styles.map((one) => panel(one.title, entryOf(one, shown)))}
${nextLinks(links, shown)}`,
  }
}

function entryOf({ id, links }: StyleEntry, shown: Shown): Markup {
  const path = `/ogc/styles/${encodeURIComponent(id)}/metadata`
  const sheets = links.filter(({ rel }) => rel === 'stylesheet')
  return html`<p class="mono"><a href="${pathTo(shown, path)}"><bdi>${id}</bdi></a></p>
<ul class="places">${sheets.map((one) => html`<li><a href="${linkHref(shown, one)}" rel="nofollow">${one.title}</a></li>`)}</ul>`
}

/** Metadata of a style. */
export function stylePage(document: { title: string; links: Link[] }, shown: Shown): HtmlPage {
  const { title, links, ...rest } = document
  const [styles] = shown.texts.rels['styles'] ?? ['Styles']
  return {
    title,
    description: title,
    above: [...placesAbove(shown), ['/ogc/styles', styles]],
    body: html`${heading(title)}<div class="two">${panel(title, readableFields(rest, shown))}
${panel(shown.texts.links, linkList(links, shown))}</div>`,
  }
}
