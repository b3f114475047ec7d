import { countryName } from '../../components/formats.ts'
import { usageTexts } from '../../messages/usage/texts.ts'

/** A name of the numbers as people read it. */
export function shownName(metric: string, grouping: string, name: string): string {
  const { special, events } = usageTexts.value
  if (name === '(none)') return special.none
  if (name === '(other)') return special.other
  if (grouping === 'event') return own(events, name) ?? name.replace(/^OWS:/, '')
  return grouping === 'label' && metric === 'request.country' ? countryName(name) : name
}

/** Returns the title of a metric; the server's name if there is none. */
export function metricTitle(name: string): string {
  return own(usageTexts.value.metrics, name) ?? name
}

function own(texts: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined
}
