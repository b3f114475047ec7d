import { effect, type Signal, signal } from '@preact/signals'

/** A preference stored in this browser, if storage is available. */
export function storedChoice<T extends string>(name: string, allowed: readonly T[], first: T): Signal<T> {
  const choice = signal(read(name, allowed) ?? first)
  effect(() => {
    try {
      localStorage.setItem(`terrane.${name}`, choice.value)
    } catch {
      // Without storage the choice applies to this page only.
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
