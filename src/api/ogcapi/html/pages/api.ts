import { ownValue } from '../../../../core/values/record-keys.ts'
import type { ApiDocument, ApiOperation, ApiParameter } from '../documents.ts'
import { heading, scrolling } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { basePathOf, pathTo } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { placesAbove } from './any-document.ts'
import { typeText } from './schema.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options', 'head']

/** Renders the API description: each path with its parameters and responses. */
export function apiPage(document: ApiDocument, shown: Shown): HtmlPage {
  const { api: texts, start } = shown.texts
  const { info, paths } = document
  return {
    title: start,
    description: texts.description,
    above: placesAbove(shown),
    body: html`${heading(info.title, { lead: texts.description })}
<div class="stack">${Object.entries(paths).map(([path, operations]) => pathPanel(path, operations, document, shown))}</div>`,
  }
}

function pathPanel(
  path: string,
  operations: Record<string, ApiOperation>,
  document: ApiDocument,
  shown: Shown,
): Markup {
  const { api: texts } = shown.texts
  const known = methods.filter((one) => Object.hasOwn(operations, one))
  const isPlain = !path.includes('{') && known.includes('get')
  const root = shown.path.slice(0, shown.path.lastIndexOf('/'))
  const address = path === '/' ? root : `${root}${path}`
  const isPage = operations['get']?.parameters?.some(({ name }) => name === 'lang') === true
  const look =
    isPlain &&
    html`<a class="btn sm" href="${isPage ? pathTo(shown, address) : basePathOf(shown) + address}" aria-label="${texts.try}: ${address}">${texts.try}</a>`
  return html`<section class="panel path"><header><h2 class="mono uri">${breakable(address)}</h2>${look}</header>
<div class="body stack">${known.map((method) => operationOf({ method, address }, operations[method] ?? {}, document, shown))}</div></section>`
}

/** An address that may break before each of its parts. */
function breakable(address: string): Markup[] {
  return address.split(/(?=\/)/).map((part) => html`<wbr/>${part}`)
}

function operationOf(
  { method, address }: { method: string; address: string },
  { summary, description, parameters = [], responses = {} }: ApiOperation,
  document: ApiDocument,
  shown: Shown,
): Markup {
  const { api: texts } = shown.texts
  const known = parameters.map((one) => resolved(one, document))
  return html`<div class="operation"><h3><span class="tag acc">${method.toUpperCase()}</span> ${summary}</h3>
${description !== undefined && html`<p class="dim">${description}</p>`}
${known.length > 0 && parametersOf(`${method.toUpperCase()} ${address}: ${texts.parameters}`, known, shown)}
<p class="small dim">${texts.answers}: ${answersOf(responses)}</p></div>`
}

function resolved(parameter: ApiParameter, { components }: ApiDocument): ApiParameter {
  const name = parameter.$ref?.split('/').at(-1)
  if (name === undefined) return parameter
  const all = components?.parameters ?? {}
  return ownValue(all, name) ?? { name }
}

function parametersOf(label: string, parameters: readonly ApiParameter[], shown: Shown): Markup {
  const { api: texts } = shown.texts
  const rows = parameters.map(
    (one) => html`<tr><th scope="row" class="mono">${one.name}</th>
<td>${ownValue(texts.places, one.in ?? '') ?? one.in}${one.required === true && html`, ${texts.required}`}</td>
<td class="mono small">${typeOf(one, shown)}</td><td>${one.description}</td></tr>`,
  )
  return scrolling(
    label,
    html`<table class="values"><caption class="vh">${texts.parameters}</caption><thead><tr><th scope="col">${texts.name}</th><th scope="col">${texts.where}</th><th scope="col">${shown.texts.schema.type}</th><th scope="col">${texts.meaning}</th></tr></thead><tbody>${rows}</tbody></table>`,
  )
}

function typeOf({ schema }: ApiParameter, shown: Shown): string {
  if (schema === undefined) return ''
  const { enum: values, default: byDefault } = schema
  return [
    values === undefined ? typeText(schema) : values.map(String).join(' | '),
    ...(byDefault === undefined ? [] : [`${shown.texts.api.byDefault} ${String(byDefault)}`]),
  ].join('; ')
}

function answersOf(responses: NonNullable<ApiOperation['responses']>): string {
  return Object.entries(responses)
    .map(([status, { content = {} }]) => {
      const types = Object.keys(content).join(', ')
      return types === '' ? status : `${status} (${types})`
    })
    .join('; ')
}
