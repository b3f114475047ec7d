/** Texts in a language other than the default. */
export interface TranslatedTexts {
  title?: string
  abstract?: string
  keywords?: string[]
}

/** Texts by their language, a code of ISO 639-2 such as `ger`. */
export type Translations = Record<string, TranslatedTexts>

/** An ISO 639-2 code. */
export const languageCode = /^[a-z]{3}$/

/**
 * Returns the BCP 47 language of a code or tag: `de` for `ger`, `deu`, `de` and `de-AT`. Undefined for other
 * texts.
 */
export function languageTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text.trim())[0]?.split('-')[0]
  } catch {
    return undefined
  }
}
