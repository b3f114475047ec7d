import { signal } from '@preact/signals'

const system = matchMedia('(prefers-color-scheme: dark)')

function read(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? system.matches : theme === 'dark'
}

/** True in dark mode: by the reader's choice, otherwise by the system. */
export const isDark = signal(read())

const look = (): void => {
  isDark.value = read()
}
system.addEventListener('change', look)
new MutationObserver(look).observe(document.documentElement, { attributeFilter: ['data-theme'] })
