import { effect, type Signal, signal } from '@preact/signals'

/** A choice of this browser, kept where it may be. */
export function storedChoice<T extends string>(name: string, allowed: readonly T[], first: T): Signal<T> {
  const choice = signal(read(name, allowed) ?? first)
  effect(() => {
    try {
      localStorage.setItem(`terrane.${name}`, choice.value)
    } catch {
      // Where nothing may be kept, the choice holds for this page.
    }
  })
  return choice
}

function read<T extends string>(name: string, allowed: readonly T[]): T | undefined {
  try {
    const text = localStorage.getItem(`terrane.${name}`)
    return allowed.find((one) => one === text)
  } catch {
    return undefined
  }
}
