import { signal } from '@preact/signals'

const system = matchMedia('(prefers-color-scheme: dark)')

function read(): boolean {
  const { theme } = document.documentElement.dataset
  return theme === undefined ? system.matches : theme === 'dark'
}

/** Whether the page is dark now: as the reader has chosen, else as the system is. */
export const isDark = signal(read())

const look = (): void => {
  isDark.value = read()
}
system.addEventListener('change', look)
new MutationObserver(look).observe(document.documentElement, { attributeFilter: ['data-theme'] })
