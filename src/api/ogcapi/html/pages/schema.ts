import { ownValue } from '../../../../core/values/record-keys.ts'
import type { SchemaDocument, SchemaProperty } from '../documents.ts'
import { heading, tablePanel } from '../fragments.ts'
import type { HtmlPage, Shown } from '../html-page.ts'
import { countText } from '../html-page.ts'
import type { Markup } from '../markup.ts'
import { html } from '../markup.ts'
import { placesAbove } from './any-document.ts'

type SchemaKind = 'schema' | 'queryables' | 'sortables'

/** The columns of a layer, or what it can be filtered or sorted by. */
export function schemaPage(kind: SchemaKind): (document: SchemaDocument, shown: Shown) => HtmlPage {
  return (document, shown) => {
    const { schema: texts } = shown.texts
    const title = shown.layer?.details.title ?? document.title ?? ''
    const properties = Object.entries(document.properties ?? {})
    return {
      title: `${title}: ${texts[kind]}`,
      description: `${texts.lead[kind]} ${title}`,
      above: placesAbove(shown),
      body: html`${heading(texts[kind], { lead: texts.lead[kind] })}
${
  properties.length === 0
    ? html`<p class="note">${texts.none}</p>`
    : tablePanel(texts[kind], tableOf(properties, document.required ?? [], shown))
}`,
    }
  }
}

function tableOf(properties: [string, SchemaProperty][], required: readonly string[], shown: Shown): Markup {
  const { schema: texts } = shown.texts
  return html`<table class="values"><caption class="vh">${texts.schema}</caption><thead><tr><th scope="col">${texts.name}</th><th scope="col">${texts.type}</th><th scope="col">${texts.more}</th></tr></thead>
<tbody>${properties.map(
    ([name, one]) => html`<tr><th scope="row"><bdi>${name}</bdi></th><td>${typeText(one)}</td>
<td dir="auto">${moreOf(one, required.includes(name), shown)}</td></tr>`,
  )}</tbody></table>`
}

/** Describes the values of a property, in the terms of JSON Schema. */
export function typeText(property: SchemaProperty): string {
  const { type, format, anyOf = [] } = property
  const either = anyOf.map(typeText).filter((one) => one !== '')
  const types = [...(Array.isArray(type) ? type : type === undefined ? [] : [type]), ...either]
  return [types.join(', '), format].filter((one) => one !== undefined && one !== '').join(' · ')
}

const maxValues = 20

function moreOf(property: SchemaProperty, isRequired: boolean, shown: Shown): Markup {
  const { schema: texts } = shown.texts
  const { title, description, enum: values, maxLength } = property
  const { formatMinimum, formatMaximum, minimum = formatMinimum, maximum = formatMaximum } = property
  const role = property['x-ogc-role']
  const roles: Record<string, string> = {
    id: texts.id,
    'primary-geometry': texts.geometry,
    'primary-instant': texts.instant,
  }
  const range = [
    ...(minimum === undefined ? [] : [`${texts.from} ${String(minimum)}`]),
    ...(maximum === undefined ? [] : [`${texts.upTo} ${String(maximum)}`]),
  ].join(' ')
  const output = [
    title,
    description,
    role === undefined ? undefined : (ownValue(roles, role) ?? role),
    isRequired ? texts.required : undefined,
    maxLength === undefined ? undefined : texts.letters(countText(shown, maxLength)),
    range === '' ? undefined : range,
    values &&
      `${texts.values}: ${values.slice(0, maxValues).map(String).join(', ')}${values.length > maxValues ? '…' : ''}`,
  ].filter((one) => one !== undefined && one !== '')
  return html`${output.join('; ')}`
}
