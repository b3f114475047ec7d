import { computed, type ReadonlySignal } from '@preact/signals'
import { storedChoice } from '../lib/stored.ts'
import { de } from './de.ts'
import { en, type Messages } from './en.ts'

export const languages = ['en', 'de'] as const
type Language = (typeof languages)[number]

/** Current language: the stored choice, otherwise the browser's first. */
export const language = storedChoice<Language>('language', languages, requested())

/** Texts of the frame of every page, in the current language. */
export const messages = textsOf<Messages>({ en, de })

/** Texts of a page, in the language that is shown: loaded with the page. */
export function textsOf<Texts>(all: Record<Language, Texts>): ReadonlySignal<Texts> {
  return computed(() => all[language.value])
}

function requested(): Language {
  for (const tag of navigator.languages) {
    const found = languages.find((one) => tag.toLowerCase().startsWith(one))
    if (found !== undefined) return found
  }
  return 'en'
}
