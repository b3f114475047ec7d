import type { LandingDocument } from '../documents.ts'
import { heading, linkList, panel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { catalogueData } from '../linked-data.ts'
import { html } from '../markup.ts'

/** The landing page. */
export function landingPage({ title, links }: LandingDocument, shown: Shown): HtmlPage {
  const { texts } = shown
  return {
    title,
    description: texts.landing.description(title),
    above: [],
    isListed: true,
    data: catalogueData(title, shown),
    body: html`${heading(title, { lead: texts.landing.lead })}
<div class="two">${panel(texts.links, linkList(links, shown))}
${panel(texts.landing.address, html`<code class="code address">${shown.link('/ogc')}</code>`)}</div>`,
  }
}
