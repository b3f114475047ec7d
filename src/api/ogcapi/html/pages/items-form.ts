import type { Shown } from '../html-page.ts'
import { basePathOf, pathTo } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'

const limits = ['10', '50', '100', '200']
const defaultLimit = '50'
/** Parameters with a form field, and those that are reset when the query changes. */
const own = new Set(['filter', 'bbox', 'datetime', 'limit', 'sortby', 'offset', 'position', 'f'])
const longestField = 20_000

/** Renders the query form; other parameters of the address are preserved. */
export function filterForm(shown: Shown): Markup {
  const { items: texts } = shown.texts
  const { path, query } = shown
  const action = basePathOf(shown) + path
  const collection = path.slice(0, path.lastIndexOf('/'))
  const isItems = path.endsWith('/items')
  const kept = [...query].filter(([name]) => !own.has(name))
  const isRequested = ['filter', 'bbox', 'datetime', 'sortby'].some((name) => query.has(name))
  return html`<form class="panel ask" method="get" action="${action}" role="search">
<div class="body">
${field('filter', texts.filter, shown, { hint: html`${texts.filterHint} <code>${example(shown)}</code>`, isWide: true })}
${field('bbox', texts.bbox, shown, { hint: texts.bboxHint })}
${field('datetime', texts.datetime, shown, { hint: texts.datetimeHint })}
${shown.parameters.has('sortby') && sortField(shown)}
<div class="field short"><label for="ask-limit">${texts.limit}</label>${limitSelect(shown)}</div>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}"/>`)}
<div class="row wrap do"><button class="btn main" type="submit">${texts.apply}</button>
${isRequested && html`<a class="btn quiet" href="${pathTo(shown, path)}">${texts.reset}</a>`}
${isItems && html`<a class="small what" href="${pathTo(shown, `${collection}/queryables`)}">${texts.what}</a>`}</div>
</div></form>`
}

function field(
  name: string,
  label: string,
  { query }: Shown,
  { hint, isWide = false }: { hint: Markup | string; isWide?: boolean },
): Markup {
  const value = (query.get(name) ?? '').slice(0, longestField)
  return html`<div class="field${isWide && ' wide'}"><label for="ask-${name}">${label}</label>
<input class="in${isWide && ' mono'}" id="ask-${name}" name="${name}" value="${value}" aria-describedby="ask-${name}-hint" autocomplete="off" spellcheck="false"/>
<span class="hint" id="ask-${name}-hint">${hint}</span></div>`
}

function limitSelect({ query }: Shown): Markup {
  const requested = query.get('limit') ?? defaultLimit
  const known = limits.includes(requested) || !/^\d{1,4}$/.test(requested) ? limits : [requested, ...limits]
  return html`<select class="in" id="ask-limit" name="limit">${known.map(
    (one) => html`<option value="${one}"${one === requested && html` selected=""`}>${one}</option>`,
  )}</select>`
}

const maxSortables = 200

/**
 * Renders a field for one sort column, ascending or descending; several columns in the address are preserved.
 */
function sortField({ query, layer, texts }: Shown): Markup | false {
  const names = layer?.details.schema.attributes.filter(({ type }) => type !== 'binary') ?? []
  if (names.length === 0) return false
  const requested = query.get('sortby') ?? ''
  const { items } = texts
  const choices = names.slice(0, maxSortables).flatMap(({ name }) => [
    [name, `${shortName(name)}, ${items.up}`],
    [`-${name}`, `${shortName(name)}, ${items.down}`],
  ])
  const known = choices.some(([value]) => value === requested) || requested === ''
  return html`<div class="field"><label for="ask-sortby">${items.sortby}</label><select class="in" id="ask-sortby" name="sortby">
<option value="">${items.sortNone}</option>${!known && html`<option value="${requested}" selected="">${shortName(requested)}</option>`}${choices.map(
    ([value = '', name]) =>
      html`<option value="${value}"${value === requested && html` selected=""`}>${name}</option>`,
  )}</select></div>`
}

function shortName(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}…` : name
}

/** Returns an example of a filter for this layer. */
function example({ layer }: Shown): string {
  const attributes = layer?.details.schema.attributes.filter(({ name }) => name.length <= 30) ?? []
  const number = attributes.find(({ type }) => /^(?:int|float|decimal)/.test(type))
  const text = attributes.find(({ type }) => type === 'text')
  const named = (name: string): string =>
    /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`
  if (number !== undefined) return `${named(number.name)} > 100`
  return text === undefined ? 'a = 1' : `${named(text.name)} LIKE 'A%'`
}
