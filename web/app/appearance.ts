import { effect } from '@preact/signals'
import { storedChoice } from '../lib/stored.ts'
import { language } from '../messages/messages.ts'

const theme = storedChoice('theme', ['auto', 'light', 'dark'], 'auto')

effect(() => {
  const root = document.documentElement
  if (theme.value === 'auto') delete root.dataset['theme']
  else root.dataset['theme'] = theme.value
})
effect(() => {
  document.documentElement.lang = language.value
})

/** From light to dark, and back. */
export function toggleTheme(): void {
  const isDark =
    theme.value === 'auto' ? matchMedia('(prefers-color-scheme: dark)').matches : theme.value === 'dark'
  theme.value = isDark ? 'light' : 'dark'
}

/** Switches the language. */
export function toggleLanguage(): void {
  language.value = language.value === 'en' ? 'de' : 'en'
}
