import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Icon } from '../components/icon.tsx'
import { reasonOf } from '../components/states.tsx'
import { say } from '../components/toasts.tsx'
import { loadSheet } from '../lib/sheets.ts'
import { messages } from '../messages/messages.ts'

type Palette = ComponentType<{ onClose(): void }>

const isOpen = signal(false)
const palette = signal<Palette | undefined>(undefined)

/** The palette is loaded on first use. */
async function open(): Promise<void> {
  if (palette.value !== undefined) {
    isOpen.value = true
    return
  }
  try {
    const [{ PaletteDialog }] = await Promise.all([import('./palette.tsx'), loadSheet('palette')])
    palette.value = PaletteDialog
    isOpen.value = true
  } catch (error) {
    say(reasonOf(error))
  }
}

/** Opens the palette, and so does Ctrl K, or Command K. */
export function PaletteButton() {
  const { shell } = messages.value
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (document.querySelector('dialog[open]') === null) void open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const Shown = palette.value
  return (
    <>
      <button type="button" class="find" aria-keyshortcuts="Control+K" onClick={() => void open()}>
        <Icon name="search" />
        <span>{shell.find}</span>
        <kbd>Ctrl K</kbd>
      </button>
      {isOpen.value && Shown !== undefined && (
        <Shown
          onClose={() => {
            isOpen.value = false
          }}
        />
      )}
    </>
  )
}
