/** Fills each `{}` of a text in order. */
export const filledText = (text: string, ...parts: readonly (string | number)[]): string =>
  text
    .split('{}')
    .flatMap((piece, at) => (at === 0 ? [piece] : [parts[at - 1] ?? '', piece]))
    .join('')
