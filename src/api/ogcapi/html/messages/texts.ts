import type { Language } from '../language.ts'
import { de } from './de.ts'
import type { Texts } from './en.ts'
import { en } from './en.ts'

const all: Record<Language, Texts> = { en, de }

/** Every text of the pages below `/ogc`, in a language. */
export function textsIn(language: Language): Texts {
  return all[language]
}
