import { addressOf } from './base.ts'

const known: Record<string, string> = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=sheets]')?.content ?? '{}',
)
const loading = new Map<string, Promise<void>>()

/** Loads the sheet `web/styles/sheets/<name>.css`; settled as soon as it counts. One that failed is asked for again. */
export function loadSheet(name: string): Promise<void> {
  const begun = loading.get(name) ?? link(name)
  loading.set(name, begun)
  return begun
}

function link(name: string): Promise<void> {
  const file = known[name]
  if (file === undefined) return Promise.reject(new Error(`There is no style sheet "${name}"`))
  return new Promise((resolve, reject) => {
    const element = document.createElement('link')
    element.rel = 'stylesheet'
    element.href = addressOf(`assets/${file}`)
    element.onload = () => resolve()
    element.onerror = () => {
      element.remove()
      loading.delete(name)
      reject(new Error(`The style sheet ${file} did not come`))
    }
    document.head.append(element)
  })
}
