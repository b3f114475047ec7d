import { signal } from '@preact/signals'

interface Toast {
  id: number
  text: string
}

const shownMs = 4000
const toasts = signal<readonly Toast[]>([])
let last = 0

/** Shows a message for a moment, also announced to screen readers. */
export function say(text: string): void {
  last += 1
  const id = last
  toasts.value = [...toasts.value, { id, text }]
  setTimeout(() => {
    toasts.value = toasts.value.filter((one) => one.id !== id)
  }, shownMs)
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text }) => (
        <p key={id} class="toast" dir="auto">
          {text}
        </p>
      ))}
    </div>
  )
}
