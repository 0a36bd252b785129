import tseslint from "typescript-eslint";

/** Rules that need to know types: they read the compiler's own project, so each folder names the one it is built with. */
const typed = (files, project) => ({
  files,
  languageOptions: { parserOptions: { project, tsconfigRootDir: import.meta.dirname } },
  rules: {
    // An append whose promise nobody awaits is an answer given before it is durable; a test's is a test that shows nothing.
    "@typescript-eslint/no-floating-promises": "error",
    "@typescript-eslint/no-misused-promises": "error",
    "@typescript-eslint/await-thenable": "error",
    // A new event or command must be looked at wherever events and commands are told apart.
    "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "@typescript-eslint/only-throw-error": "error",
  },
});

export default tseslint.config(
  // AssemblyScript is another language under the same ending; its compiler checks it.
  { ignores: ["dist/**", "node_modules/**", "assembly/**", "holdfast-data/**", "bench/results/**"] },
  ...tseslint.configs.recommended,
  typed(["events/**/*.ts", "host/**/*.ts"], "./tsconfig.json"),
  typed(["test/**/*.ts"], "./test/tsconfig.json"),
  {
    files: ["**/*.ts"],
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports", disallowTypeAnnotations: false }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-console": "error",
      eqeqeq: "error",
      // A variable that closures read before it is assigned cannot be a constant.
      "prefer-const": ["error", { ignoreReadBeforeAssign: true }],
    },
  },
  // These talk to people.
  { files: ["bench/**/*.ts", "test/**/*.ts"], rules: { "no-console": "off" } },
);
