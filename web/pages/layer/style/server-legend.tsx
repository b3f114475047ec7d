import { CopyAsCurl } from '../../../components/copy-as-curl.tsx'
import { addressOf } from '../../../lib/base.ts'
import { styleTexts } from '../../../messages/layer/style/texts.ts'

interface Props {
  id: string
  name: string
  version: number
  isChanged: boolean
}

/** Legend drawn by the server from the saved style. */
export function ServerLegend({ id, name, version, isChanged }: Props) {
  const texts = styleTexts.value.legend
  const path = `/tiles/${encodeURIComponent(id)}/legend.svg`
  const address = `${addressOf(path)}?style=${encodeURIComponent(name)}&v=${version}`
  return (
    <section class="panel" aria-labelledby="legend-title">
      <header>
        <h2 id="legend-title">{texts.title}</h2>
        <CopyAsCurl call={{ path, query: { style: name } }} />
      </header>
      <div class="body stack s2">
        {isChanged && <p class="hint">{texts.isKept}</p>}
        <div class="legend-picture">
          <img src={address} alt={texts.of(name)} />
        </div>
      </div>
    </section>
  )
}
