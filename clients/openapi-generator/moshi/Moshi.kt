// Stub of Moshi for compiling the Kotlin client: only what the generated code uses, without implementation. No package
// registry used here has Moshi; a real client uses the real one.

package com.squareup.moshi

annotation class Json(val name: String)

annotation class JsonClass(val generateAdapter: Boolean)

annotation class ToJson

annotation class FromJson

class JsonAdapter<T> {
    fun toJson(value: T?): String = TODO()

    fun fromJson(text: String): T? = TODO()
}

class Moshi {
    fun <T> adapter(type: Class<T>): JsonAdapter<T> = TODO()

    class Builder {
        fun add(adapter: Any): Builder = TODO()

        fun build(): Moshi = TODO()
    }
}

inline fun <reified T> Moshi.adapter(): JsonAdapter<T> = TODO()
