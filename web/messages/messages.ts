import { computed, type ReadonlySignal } from '@preact/signals'
import { storedChoice } from '../lib/stored.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'

export const languages = ['en', 'de'] as const
type Language = (typeof languages)[number]

/** The language that is shown: what was chosen here, or what the browser asks for first. */
export const language = storedChoice<Language>('language', languages, wanted())

/** The texts of what stands around every page, in the language that is shown. */
export const messages = textsOf<Messages>({ en, de })

/** Texts of a page, in the language that is shown: loaded with the page. */
export function textsOf<Texts>(all: Record<Language, Texts>): ReadonlySignal<Texts> {
  return computed(() => all[language.value])
}

function wanted(): Language {
  for (const tag of navigator.languages) {
    const found = languages.find((one) => tag.toLowerCase().startsWith(one))
    if (found !== undefined) return found
  }
  return 'en'
}
