import icons from '../icons/icons.svg'

const address = new URL(icons, import.meta.url).pathname

/** An icon of `web/icons`, hidden from screen readers: text stands beside it. */
export function Icon({ name, class: extra = '' }: { name: string; class?: string }) {
  return (
    <svg class={`i ${extra}`} aria-hidden="true">
      <use href={`${address}#${name}`} />
    </svg>
  )
}

/** The project's logo. */
export function Mark() {
  return (
    <svg viewBox="0 0 26 26" aria-hidden="true">
      <path class="mk-a" d="M2 4.5 13.6 2l1.1 4.6-3.2 4.6 2.7 4.1-2 4.1 1.5 4.6H2z" />
      <path class="mk-b" d="M16.1 2.6 24 6.4v12.9l-7.7 3.6-1.3-3.6 2-4.1-2.7-4.1 3.2-4.5z" />
    </svg>
  )
}
