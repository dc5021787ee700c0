/** About callbacks, refused requests and the sandbox; a part of `texts.ts`. */
export const callbackTextsInEnglish = {}

export const callbackTextsInNorwegian: Readonly<
  Record<keyof typeof callbackTextsInEnglish, string>
> = {}
