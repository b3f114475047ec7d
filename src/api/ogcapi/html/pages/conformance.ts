import { heading, panel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { countText } from '../html-page.ts'
import { html } from '../markup.ts'
import { placesAbove } from './any-document.ts'

/** The classes of the standards, standard by standard. */
export function conformancePage({ conformsTo }: { conformsTo: string[] }, shown: Shown): HtmlPage {
  const { conformance } = shown.texts
  const standards = Map.groupBy(conformsTo, (uri) => /^(.*?)\/conf\//.exec(uri)?.[1] ?? '')
  const panels = [...standards].map(([standard, classes]) => {
    const name = standard.split('/').slice(-2).join(' ')
    const items = classes.map(
      (uri) => html`<li><span class="mono">${uri.slice(standard.length + 6)}</span></li>`,
    )
    const count = html`<span class="tag">${conformance.classes(countText(shown, classes.length))}</span>`
    return panel(
      name === '' ? conformance.title : name,
      html`<p class="dim small uri">${standard}/conf/…</p><ul class="plain">${items}</ul>`,
      { aside: count },
    )
  })
  return {
    title: conformance.title,
    description: conformance.description,
    above: placesAbove(shown),
    body: html`${heading(conformance.title, { lead: conformance.description })}<div class="two">${panels}</div>`,
  }
}
