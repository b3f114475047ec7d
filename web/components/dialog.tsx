import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { messages } from '../messages/messages.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  children: ComponentChildren
  /** True for tables. */
  isWide?: boolean
  /** Called by Escape and the cross. */
  onClose(): void
}

/** A dialog over the page: the focus stays in it, and goes back when it closes. */
export function Dialog({ title, children, isWide = false, onClose }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before anything else can be typed: keys that follow belong to the dialog.
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <header class="split">
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          class="btn quiet ic sm"
          aria-label={messages.value.state.close}
          onClick={onClose}
        >
          <Icon name="x" />
        </button>
      </header>
      {children}
    </dialog>
  )
}
